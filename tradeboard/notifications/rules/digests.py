"""When the daily mail is due."""

from datetime import datetime, time, timedelta

from tradeboard.core.japan import JAPAN

AT = time(18, tzinfo=JAPAN)
MOST_LINES = 30
A_DAY = timedelta(days=1)


def due_since(now: datetime) -> datetime:
    """Return the last 18:00 in Japan: since then today's daily mail has been due."""
    there = now.astimezone(AT.tzinfo)
    today = datetime.combine(there.date(), AT)
    return today if today <= now else today - A_DAY
