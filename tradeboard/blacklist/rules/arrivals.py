"""When a parcel came, from a day and a time as people tell them."""

import unicodedata
from datetime import UTC, date, datetime, time, timedelta

from tradeboard.core.errors import RuleBroken
from tradeboard.core.japan import JAPAN

LAST_MOMENT = time(23, 59, 59, 999999)
# From the confirmed call to the due instant it is 7 + 14 + 2 x 7 days at most.
LONGEST_WAIT = timedelta(days=366)


def needs_time(day: date, due_at: datetime) -> bool:
    """Tell whether the day alone leaves open on which side of the due instant."""
    return day == due_at.astimezone(JAPAN).date()


def arrival(day: date, at: time | None, *, due_at: datetime, now: datetime) -> datetime:
    """Return the instant of an arrival in Japan; on the due day the time is needed.

    On any other day the last moment stands for the day: it falls on the same side of
    the due instant as every other.
    """
    if day > now.astimezone(JAPAN).date():
        raise RuleBroken("届いた日は今日までの日付です。", field="arrived_at")
    if at is None and needs_time(day, due_at):
        raise RuleBroken(
            "期限の当日に届いたときは、時刻も入れてください。", field="arrived_time"
        )
    if day < due_at.astimezone(JAPAN).date() - LONGEST_WAIT:
        raise RuleBroken("届いた日時が電話の確認より前です。", field="arrived_at")
    moment = datetime.combine(day, at or LAST_MOMENT, JAPAN).astimezone(UTC)
    return min(moment, now) if at is None else moment


def read_day(typed: str) -> date:
    """Read a day as browsers send it; slashes are welcome."""
    try:
        return date.fromisoformat(_folded(typed).replace("/", "-"))
    except ValueError:
        raise RuleBroken(
            "日付を 2026-12-01 のように入れてください。", field="arrived_at"
        ) from None


def read_time(typed: str) -> time | None:
    """Read a time of day, or None if the field was left empty."""
    if not _folded(typed):
        return None
    try:
        found = time.fromisoformat(_folded(typed).zfill(5))
    except ValueError:
        raise RuleBroken(
            "時刻を 14:30 のように入れてください。", field="arrived_time"
        ) from None
    return found.replace(tzinfo=None)


def _folded(typed: str) -> str:
    return unicodedata.normalize("NFKC", typed).strip()
