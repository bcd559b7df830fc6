"""Tests of the lists of cards and of matches."""
