"""Asking for another look: when, until when it is decided, and by whom."""

from datetime import datetime, timedelta
from enum import StrEnum


class AppealState(StrEnum):
    """Whether an appeal waits, and how it ended; `closed` is when the entry ended."""

    OPEN = "open"
    GRANTED = "granted"
    REFUSED = "refused"
    CLOSED = "closed"


S = AppealState

APPEAL = {
    (S.OPEN, "grant"): S.GRANTED,
    (S.OPEN, "refuse"): S.REFUSED,
    (S.OPEN, "end entry"): S.CLOSED,
}

DECIDED_WITHIN = timedelta(days=14)
AGAIN_AFTER = timedelta(days=180)
LONGEST_WORDS = 4000
MOST_FILES = 6


def due_at(made_at: datetime) -> datetime:
    """Return until when an appeal should be decided; from then on facts are hidden."""
    return made_at + DECIDED_WITHIN


def may_appeal_again_at(decided_at: datetime) -> datetime:
    """Return from when the same entry may be appealed without new evidence."""
    return decided_at + AGAIN_AFTER
