"""Who had better send first: a suggestion to the two, which nobody has to follow."""

from enum import StrEnum
from typing import Protocol

# With fewer partners behind him, a person counts as new here.
FEW_PARTNERS = 3
BARRED = frozenset({"listed", "suspended"})


class First(StrEnum):
    """What is suggested to the one who reads it."""

    YOU = "you"
    PARTNER = "partner"
    TOGETHER = "together"


class Side(Protocol):
    """What is known of each: a record, and how the person stands for everybody."""

    @property
    def partner_count(self) -> int:
        """Different partners of completed trades."""

    @property
    def standing(self) -> str:
        """How the person stands."""


def suggest(own: Side, partner: Side) -> First | None:
    """Return what to suggest, or None between two who are both experienced.

    Nobody is told to send first to a person who is barred in public. A hold changes
    nothing, since the suggestion would tell of it.
    """
    own_new, partner_new = is_new(own), is_new(partner)
    if own_new and partner_new:
        return First.TOGETHER
    if own_new:
        return None if partner.standing in BARRED else First.YOU
    if partner_new:
        return None if own.standing in BARRED else First.PARTNER
    return None


def is_new(side: Side) -> bool:
    """Tell whether somebody has traded with few different people so far."""
    return side.partner_count < FEW_PARTNERS
