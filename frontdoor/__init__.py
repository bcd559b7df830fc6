"""What `run.py` does, with the standard library alone: install, demo, test, check."""
