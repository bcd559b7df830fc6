"""What a shared signal does, for how long, and what a moderator may decide."""

from datetime import datetime, timedelta
from enum import StrEnum

HOLD_LASTS = timedelta(hours=72)
# Numbers are given to others: one that was confirmed longer ago proves nothing.
NUMBER_COUNTS_FOR = timedelta(days=365)

# A browser that so many people with numbers of their own used lately may be shared.
SHARED_BY = 3
SHARED_WITHIN = timedelta(days=30)

LONGEST_STATEMENT = 2000
LONGEST_SENTENCE = 500


class Signal(StrEnum):
    """By what a barred person would be known again."""

    MAILBOX = "mailbox"
    PHONE = "phone"
    DEVICE = "device"


class HoldDecision(StrEnum):
    """What a moderator found about a pair; none of them lists anybody by itself."""

    UNRELATED = "unrelated"
    ALLOWED = "allowed"
    EVASION = "evasion"


class NoteKind(StrEnum):
    """What a moderator is asked to look at when there is time."""

    EMAIL = "email"
    PHONE = "phone"
    KEYS_MEET = "keys_meet"


# These end a hold at once; after the last it lasts until its time, for the listing.
RELEASING = frozenset({HoldDecision.UNRELATED, HoldDecision.ALLOWED})


def held_until(now: datetime) -> datetime:
    """Return when a hold ends that no moderator decided."""
    return now + HOLD_LASTS


def counts_until(confirmed_at: datetime) -> datetime:
    """Return until when a number points at whoever confirmed it."""
    return confirmed_at + NUMBER_COUNTS_FOR


def pair(one_id: int, other_id: int) -> tuple[int, int]:
    """Return two people in the one order in which a pair is kept."""
    return min(one_id, other_id), max(one_id, other_id)
