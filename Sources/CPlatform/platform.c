// The header has all of it.
