"""Who did what to what, and when: append-only."""
