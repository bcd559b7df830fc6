"""What a key may do, and how often."""

from enum import StrEnum


class Scope(StrEnum):
    """What a key opens: many look-ups at once, or the feed and the whole list."""

    BULK = "bulk"
    FEED = "feed"


PER_MINUTE = 3000
MOST_KEYS = 10
LONGEST_NAME = 60
