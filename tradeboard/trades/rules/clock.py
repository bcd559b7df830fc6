"""Every deadline of a trade: counted in UTC, the instant itself is late."""

from datetime import UTC, datetime, timedelta

TO_ANSWER = timedelta(days=3)
TO_CALL = timedelta(days=7)
TO_DISPATCH = timedelta(days=7)
TWO_WEEKS = timedelta(days=14)
EXTENSION = timedelta(days=7)
MOST_EXTENSIONS = 2
SILENCE_CANCELS = timedelta(days=3)
LATEST_SENSIBLE = timedelta(days=4)
CONTEST_FROM = timedelta(days=2)
UNDO_WITHIN = timedelta(hours=1)
RECEIPT_STAYS_FROM = timedelta(days=2)
NUMBERS_ARE_KEPT = timedelta(days=30)
NOTICES = (timedelta(days=7), timedelta(days=3), timedelta(days=1))
ANSWER_NOTICE = timedelta(hours=24)
CALL_NOTICE = timedelta(hours=48)
SOON = timedelta(days=3)


def due_at(first_dispatch: datetime, extensions: int = 0) -> datetime:
    """Return before when both parcels must be confirmed: 336 hours on (B-05).

    Counted in UTC: by a wall clock, two weeks can be an hour longer or shorter. Each
    agreed extension adds seven days for both parcels.
    """
    return first_dispatch.astimezone(UTC) + TWO_WEEKS + extensions * EXTENSION


def is_over(limit: datetime | None, now: datetime) -> bool:
    """Tell whether the last good moment has passed; the instant itself is late."""
    return limit is not None and now >= limit


def latest_sensible_dispatch(due: datetime) -> datetime:
    """Return the last day on which a second parcel still has time to arrive."""
    return due - LATEST_SENSIBLE


def notice_due(due: datetime, now: datetime) -> timedelta | None:
    """Return the most recent notice whose time has come before the due instant."""
    reached = [before for before in NOTICES if due - before <= now < due]
    return min(reached, default=None)


def may_contest_from(dispatched_at: datetime) -> datetime:
    """Return from when a sender may say that the parcel was delivered."""
    return dispatched_at + CONTEST_FROM


def may_undo(acted_at: datetime, now: datetime) -> bool:
    """Tell whether a slip can still be undone by its author: within one hour."""
    return now < acted_at + UNDO_WITHIN


def may_undo_receipt(
    received_at: datetime | None, due: datetime | None, now: datetime
) -> bool:
    """Tell whether a receipt can be undone: not in the last two days.

    A sender whose parcel was confirmed has no reason to show its delivery; taking the
    receipt back at the last moment would leave him without the time to do so.
    """
    if received_at is None or not may_undo(received_at, now):
        return False
    return due is None or now < due - RECEIPT_STAYS_FROM
