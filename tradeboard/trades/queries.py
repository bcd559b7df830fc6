"""Read trades."""


def sweep_lag(now):
    """Return how long the oldest overdue trade has waited."""
    return None
