"""How a person stands, what that permits, and how several causes add up."""

from collections.abc import Iterable
from enum import StrEnum


class Standing(StrEnum):
    """Anything but good bars from new trades; running ones can always be finished."""

    GOOD = "good"
    HELD = "held"
    LISTED = "listed"
    SUSPENDED = "suspended"
    CLOSED = "closed"


class Role(StrEnum):
    """What a person may do beyond trading."""

    MEMBER = "member"
    MODERATOR = "moderator"
    ADMIN = "admin"


_WEIGHT = {standing: weight for weight, standing in enumerate(Standing)}


def strongest(causes: Iterable[Standing]) -> Standing:
    """Return how all causes together make a person stand (B-02)."""
    return max(causes, key=_WEIGHT.__getitem__, default=Standing.GOOD)
