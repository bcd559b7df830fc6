"""How the queue is cut and ordered, who is at an entry, and when an answer is due."""

from datetime import date, datetime, time, timedelta
from enum import StrEnum

from tradeboard.core.japan import JAPAN
from tradeboard.core.records import dataclass

CLAIM_LAPSES_AFTER = timedelta(minutes=15)
ANSWER_WITHIN = timedelta(days=7)
LONGEST_DELAY = timedelta(days=30)
MOST_OPEN_REQUESTS = 3
LONGEST_QUESTION = 1000


class Which(StrEnum):
    """Which entries a moderator looks at."""

    ALL = "all"
    LISTED = "listed"
    HELD = "held"
    UPHELD = "upheld"
    APPEALED = "appealed"
    OVERDUE = "overdue"
    MINE = "mine"


def live_since(now: datetime) -> datetime:
    """Return since when a claim must have moved; at that instant it has lapsed."""
    return now - CLAIM_LAPSES_AFTER


def is_live(seen_at: datetime, now: datetime) -> bool:
    """Tell whether somebody is still at it: idle for 15 minutes, a claim lapses."""
    return seen_at > live_since(now)


def default_day(now: datetime) -> date:
    """Return the day until whose end an answer is asked for, if nobody says one."""
    return (now + ANSWER_WITHIN).astimezone(JAPAN).date()


def is_possible_day(day: date, now: datetime) -> bool:
    """Tell whether an answer may be asked for by then: tomorrow, or within 30 days."""
    today = now.astimezone(JAPAN).date()
    return today < day <= today + LONGEST_DELAY


def end_of(day: date) -> datetime:
    """Return the instant before which an answer comes in time: the day's end."""
    return datetime.combine(day + timedelta(days=1), time(), JAPAN)


@dataclass(frozen=True)
class Span:
    """When somebody wrote from a browser first and last, and how often."""

    first: datetime
    last: datetime
    count: int


def overlap(one: Span, other: Span) -> tuple[datetime, datetime] | None:
    """Return in which time both wrote from it; a browser that was sold has none."""
    since, until = max(one.first, other.first), min(one.last, other.last)
    return (since, until) if since <= until else None
