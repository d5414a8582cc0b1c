printf '{"a": "\377"}' > a.json
