"""When a backup is due, which ones stay, and when admins must know."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

DAILY, WEEKLY, MONTHLY = 7, 4, 12

# 18:00 UTC is three in the night in Japan.
NIGHT = timedelta(hours=18)
DAY = timedelta(days=1)
LATE_AFTER = timedelta(hours=48)
FORGOTTEN_AFTER = timedelta(days=90)

STAMP = "tradeboard-%Y%m%dT%H%M%SZ"


def name_of(moment: datetime) -> str:
    """Return what a backup of a moment is called."""
    return moment.astimezone(UTC).strftime(STAMP)


def moment_of(name: str) -> datetime | None:
    """Return of when a backup is; None for what is called otherwise."""
    try:
        return datetime.strptime(name, STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def last_night(now: datetime) -> datetime:
    """Return the beginning of the last night."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    tonight = midnight + NIGHT
    return tonight if tonight <= now else tonight - DAY


def is_due(last_ok: datetime | None, now: datetime) -> bool:
    """Tell whether a backup is to be made: none has been since the last night began."""
    return last_ok is None or last_ok < last_night(now)


def is_late(last_ok: datetime | None, now: datetime) -> bool:
    """Tell whether admins must know that something has not gone well for too long."""
    return last_ok is None or now - last_ok > LATE_AFTER


def kept(moments: Iterable[datetime]) -> set[datetime]:
    """Return which backups stay: the last of each of 7 days, 4 weeks, 12 months.

    Days, weeks and months without a backup do not count, so that a pause removes
    nothing.
    """
    newest_first = sorted(moments, reverse=True)
    spans: tuple[tuple[int, Callable[[datetime], object]], ...] = (
        (DAILY, datetime.date),
        (WEEKLY, lambda moment: moment.isocalendar()[:2]),
        (MONTHLY, lambda moment: (moment.year, moment.month)),
    )
    found: set[datetime] = set()
    for number, span_of in spans:
        last: dict[object, datetime] = {}
        for moment in newest_first:
            last.setdefault(span_of(moment), moment)
        found.update(list(last.values())[:number])
    return found
