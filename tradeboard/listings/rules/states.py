"""States, deadlines and limits of a listing."""

from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.core.errors import Conflict


class ListingState(StrEnum):
    """Where a listing is."""

    DRAFT = "draft"
    AWAITING_EMAIL = "awaiting_email"
    OPEN = "open"
    RESERVED = "reserved"
    TRADED = "traded"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    HIDDEN = "hidden"


class Side(StrEnum):
    """Whether a line is offered or asked for."""

    HAVE = "have"
    WANT = "want"


class Condition(StrEnum):
    """How well a card has kept: A mint, B good, C played, D damaged."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"


S = ListingState

LISTING = {
    (S.DRAFT, "post unconfirmed"): S.AWAITING_EMAIL,
    (S.DRAFT, "post"): S.OPEN,
    (S.AWAITING_EMAIL, "confirm e-mail"): S.OPEN,
    (S.OPEN, "edit"): S.OPEN,
    (S.OPEN, "reserve all"): S.RESERVED,
    (S.RESERVED, "release"): S.OPEN,
    (S.OPEN, "trade all"): S.TRADED,
    (S.RESERVED, "trade all"): S.TRADED,
    (S.OPEN, "expire"): S.EXPIRED,
    (S.OPEN, "renew"): S.OPEN,
    (S.EXPIRED, "renew"): S.OPEN,
    (S.EXPIRED, "reserve all"): S.EXPIRED,
    (S.EXPIRED, "release"): S.EXPIRED,
    (S.EXPIRED, "trade all"): S.TRADED,
    (S.OPEN, "withdraw"): S.WITHDRAWN,
    (S.EXPIRED, "withdraw"): S.WITHDRAWN,
    (S.AWAITING_EMAIL, "withdraw"): S.WITHDRAWN,
    (S.HIDDEN, "withdraw held"): S.WITHDRAWN,
    (S.DRAFT, "hide"): S.HIDDEN,
    (S.AWAITING_EMAIL, "hide"): S.HIDDEN,
    (S.OPEN, "hide"): S.HIDDEN,
    (S.RESERVED, "hide"): S.HIDDEN,
    (S.EXPIRED, "hide"): S.HIDDEN,
    (S.HIDDEN, "release"): S.HIDDEN,
    (S.HIDDEN, "trade all"): S.HIDDEN,
}

PUBLIC = frozenset({S.OPEN, S.RESERVED, S.TRADED, S.EXPIRED})
ON_THE_BOARD = frozenset({S.OPEN, S.RESERVED})
LIFETIME = timedelta(days=30)
TOLD_BEFORE_THE_END = timedelta(days=3)
MOST_LISTINGS_A_DAY = 20
MOST_OF_THE_NEW_A_DAY = 3
NEW_FOR = timedelta(days=7)
MOST_PHOTOS = 6
MOST_PHOTOS_A_DAY = 60
MOST_LINES = 20
MOST_COPIES = 99
MOST_DRAFTS = 50
LONGEST_NAME = 80
LONGEST_NOTE = 1000
LONGEST_CAPTION = 120
LONGEST_CODE = 40
LONGEST_REASON = 500
A_DAY = timedelta(days=1)


def expires_at(posted_or_renewed: datetime) -> datetime:
    """Return when an open listing ends by itself: 30 days on."""
    return posted_or_renewed + LIFETIME


def after_restoring(hidden_from: ListingState) -> ListingState:
    """Return the state that a hidden listing takes again: as before."""
    if hidden_from is S.HIDDEN:
        raise Conflict("いまの状態では、この操作はできません。")
    return hidden_from


def most_listings_a_day(age: timedelta) -> int:
    """Return how many listings an account of that age may post within a day."""
    return MOST_OF_THE_NEW_A_DAY if age < NEW_FOR else MOST_LISTINGS_A_DAY


def event_of(state: ListingState, *, free: int, left: int) -> str | None:
    """Return what the have-lines' quantities make of a listing, or None for nothing.

    `free` copies can be promised, `left` ones are not traded yet.
    """
    if left == 0:
        return None if state is S.TRADED else "trade all"
    if free == 0:
        return "reserve all" if state in (S.OPEN, S.EXPIRED) else None
    return "release" if state is S.RESERVED else None
