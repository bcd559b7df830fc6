"""Lists of cards: limits, formats, what a match is worth."""
