"""The board: what traders have and want, with photos and search."""
