mkdir photos && touch photos/a.jpg
