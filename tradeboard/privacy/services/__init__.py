"""Erase what is kept no longer, and write the copy of one's own data."""
