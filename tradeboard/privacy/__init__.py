"""How long everything is kept, what erasure takes, and the copy of one's own data."""
