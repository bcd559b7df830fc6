"""When a mail is tried again, when it is given up, how long its text is kept."""

from datetime import datetime, timedelta

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)

# Counted in tries, not by the age of the mail: one that waited for days while nothing
# ran is not given up after its first failure. The steps add up to 24 hours.
LADDER = (
    1 * MINUTE,
    4 * MINUTE,
    15 * MINUTE,
    40 * MINUTE,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    6 * HOUR,
    6 * HOUR,
)

# Long enough for one conversation with a server that answers slowly.
CLAIM = timedelta(minutes=2)
RED_AFTER = HOUR
TEXT_IS_KEPT = timedelta(days=30)


def next_try(tries: int, now: datetime) -> datetime | None:
    """Return when to try again after so many failures, or None to give up."""
    return now + LADDER[tries - 1] if tries <= len(LADDER) else None


def is_late(queued_at: datetime | None, now: datetime) -> bool:
    """Tell whether a mail has waited so long that somebody should look."""
    return queued_at is not None and now - queued_at > RED_AFTER
