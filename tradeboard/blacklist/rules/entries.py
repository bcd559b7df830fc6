"""How an entry begins, moves and ends, and what it does to a person."""

from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.accounts.rules.standing import Standing
from tradeboard.trades.rules.findings import Finding


class EntryState(StrEnum):
    """Whether an entry is public, and whether a moderator has looked at it."""

    HELD = "held"
    LISTED = "listed"
    UPHELD = "upheld"
    LIFTED = "lifted"
    EXPIRED = "expired"


class UpholdReason(StrEnum):
    """Why a moderator lets an entry stand."""

    RECORD = "record"
    EVIDENCE = "evidence"
    ADMITTED = "admitted"


class LiftReason(StrEnum):
    """Why an entry ended before its time."""

    ERROR = "error"
    IDENTITY_THEFT = "identity_theft"
    DELIVERED = "delivered"
    SETTLED = "settled"
    EVIDENCE_UNAVAILABLE = "evidence_unavailable"
    RECEIVED_IN_TIME = "received_in_time"
    CURED_LATE = "cured_late"
    UNDECIDED = "undecided"


BY_MODERATORS = (
    LiftReason.ERROR,
    LiftReason.IDENTITY_THEFT,
    LiftReason.DELIVERED,
    LiftReason.SETTLED,
    LiftReason.EVIDENCE_UNAVAILABLE,
)

# What a moderator may list for without a sweep, with evidence.
FINDINGS_BY_HAND = (Finding.NOT_AS_AGREED, Finding.BY_HAND)

# After these the person's record does not count the parcel as late.
EXCUSING = frozenset(
    {LiftReason.ERROR, LiftReason.IDENTITY_THEFT, LiftReason.RECEIVED_IN_TIME}
)

E = EntryState

ENTRY = {
    (E.HELD, "list"): E.LISTED,
    (E.HELD, "uphold"): E.UPHELD,
    (E.HELD, "lift"): E.LIFTED,
    (E.LISTED, "uphold"): E.UPHELD,
    (E.LISTED, "lift"): E.LIFTED,
    (E.LISTED, "expire"): E.EXPIRED,
    (E.UPHELD, "lift"): E.LIFTED,
    (E.UPHELD, "expire"): E.EXPIRED,
}

PUBLIC = frozenset({E.LISTED, E.UPHELD})
STANDING_STATES = frozenset({E.HELD, E.LISTED, E.UPHELD})

# Here the record proves nothing yet: a moderator looks before the public does.
HELD_FINDINGS = frozenset(
    {Finding.WITHHELD, Finding.CONTESTED, Finding.COUNTERPARTY_IN_DEFAULT}
)

WITHHELD_IS_LISTED_AFTER = timedelta(days=7)
CONTESTED_RESTRICTS_FOR = timedelta(days=7)
UNDECIDED_IS_LIFTED_AFTER = timedelta(days=90)
UNREVIEWED_IS_RED_AFTER = timedelta(days=14)
KEPT = timedelta(days=730)
KEPT_WHEN_SEVERAL = timedelta(days=1825)


def first_state(finding: Finding) -> EntryState:
    """Return how an entry begins."""
    return E.HELD if finding in HELD_FINDINGS else E.LISTED


def restriction(state: EntryState, finding: Finding) -> Standing | None:
    """Return how one entry makes its person stand, or None if it bars nothing.

    Whoever waits only because the other side is in default is barred from nothing.
    """
    if state in PUBLIC:
        return Standing.LISTED
    if state is E.HELD and finding is not Finding.COUNTERPARTY_IN_DEFAULT:
        return Standing.HELD
    return None


def restricts_until(
    state: EntryState, finding: Finding, entered_at: datetime
) -> datetime | None:
    """Return when the restriction ends by itself: a contested one after seven days."""
    if state is E.HELD and finding is Finding.CONTESTED:
        return entered_at + CONTESTED_RESTRICTS_FOR
    return None


def list_at(finding: Finding, entered_at: datetime) -> datetime | None:
    """Return when an undecided held entry is listed: a withheld one after 7 days."""
    if finding is Finding.WITHHELD:
        return entered_at + WITHHELD_IS_LISTED_AFTER
    return None


def undecided_at(state: EntryState, entered_at: datetime) -> datetime | None:
    """Return when a held entry that nobody decided is lifted: after 90 days."""
    return entered_at + UNDECIDED_IS_LIFTED_AFTER if state is E.HELD else None


def review_by(state: EntryState, finding: Finding, entered_at: datetime) -> datetime:
    """Return when an entry that nobody looked at turns red to moderators.

    A contested one does so when its restriction ends, after seven days.
    """
    if state is E.HELD and finding is Finding.CONTESTED:
        return entered_at + CONTESTED_RESTRICTS_FOR
    return entered_at + UNREVIEWED_IS_RED_AFTER


def expires_at(since: datetime, standing_entries: int) -> datetime:
    """Return when an entry ends: 730 days on, 1,825 with two or more standing ones.

    `since` is when it was upheld, or when it was listed as long as nobody reviewed it.
    """
    return since + (KEPT_WHEN_SEVERAL if standing_entries >= 2 else KEPT)


def lift_reason(arrived_at: datetime, due_at: datetime) -> LiftReason:
    """Return why a late confirmation lifts an entry."""
    in_time = arrived_at < due_at
    return LiftReason.RECEIVED_IN_TIME if in_time else LiftReason.CURED_LATE


def lifts_by_itself(reason: LiftReason, cured_before: int) -> bool:
    """Tell whether a late confirmation lifts an entry without a moderator.

    What came in time always does; what came late only the first time.
    """
    return reason is LiftReason.RECEIVED_IN_TIME or cured_before == 0
