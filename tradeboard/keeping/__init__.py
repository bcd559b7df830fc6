"""Keeping the board: backups that were tried, and a look at how whole it is."""
