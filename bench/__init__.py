"""Measures the board beside the least that could answer: `run.py bench`."""
