"""Asking for another look: when, until when it is decided, and by whom."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.core import folding


class AppealState(StrEnum):
    """Whether an appeal waits, and how it ended; `closed` is when the entry ended."""

    OPEN = "open"
    GRANTED = "granted"
    REFUSED = "refused"
    CLOSED = "closed"


class Right(StrEnum):
    """Whether somebody may decide an appeal, or why not.

    `sole` is the one who upheld, since nobody else could decide.
    """

    MAY = "may"
    SOLE = "sole"
    NO_STAFF = "no_staff"
    PARTY = "party"
    NEAR = "near"
    UPHELD = "upheld"


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


def is_overdue(due: datetime, now: datetime) -> bool:
    """Tell whether an appeal has waited too long; its due instant itself is late."""
    return now >= due


def may_appeal_again_at(decided_at: datetime) -> datetime:
    """Return from when the same entry may be appealed without new evidence."""
    return decided_at + AGAIN_AFTER


def may_appeal_again(
    decided_at: datetime | None, now: datetime, *, brings_new: bool
) -> bool:
    """Tell whether one may appeal after a decision: with something new, or later."""
    if decided_at is None or brings_new:
        return True
    return now >= may_appeal_again_at(decided_at)


def brings_new(words: str, files: int, earlier: Iterable[str]) -> bool:
    """Tell whether an appeal says or shows what none of the earlier ones did."""
    return files > 0 or _plain(words) not in {_plain(said) for said in earlier}


def right_to_decide(
    *,
    is_staff: bool,
    is_party: bool,
    is_near: bool = False,
    upheld: bool,
    others: int,
) -> Right:
    """Tell whether somebody may decide: staff, no party nor near one, not who upheld.

    `others` counts the staff who are none of these; without any, who upheld may.
    """
    if not is_staff:
        return Right.NO_STAFF
    if is_party:
        return Right.PARTY
    if is_near:
        return Right.NEAR
    if not upheld:
        return Right.MAY
    return Right.UPHELD if others else Right.SOLE


def _plain(words: str) -> str:
    return folding.fold(words)
