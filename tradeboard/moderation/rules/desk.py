"""Which queue comes first on the desk, and what speaks for two people being two."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum

from tradeboard.core.japan import JAPAN
from tradeboard.core.records import dataclass

COUNTED = 100
COUNTED_DAYS = 30
URGENT = timedelta(hours=24)
SAME_MINUTES = timedelta(minutes=5)

PATIENCE = {
    "unreviewed": timedelta(days=14),
    "held": timedelta(days=7),
    "appeals": timedelta(days=14),
    "differs": timedelta(days=7),
    "calls": timedelta(days=2),
    "holds": timedelta(hours=48),
    "reports": timedelta(days=3),
    "signals": timedelta(days=3),
    "notes": timedelta(days=14),
    "dead_mail": timedelta(days=1),
    "waiting_mail": timedelta(hours=1),
}


@dataclass(frozen=True)
class Queue:
    """What awaits a moderator: how many, counted up to a bound, and since when."""

    name: str
    count: int
    oldest: datetime | None

    @property
    def is_capped(self) -> bool:
        """Tell whether there are more than were counted."""
        return self.count > COUNTED

    def is_overdue(self, now: datetime) -> bool:
        """Tell whether the oldest has waited longer than it should."""
        if self.oldest is None:
            return False
        return now - self.oldest > PATIENCE[self.name]


DECIDED_BY_PEOPLE = frozenset(PATIENCE) - {"notes", "dead_mail", "waiting_mail"}
TOLD_FROM_HOUR = 8
RED_AFTER = timedelta(minutes=3)


def day_in_japan(now: datetime) -> date:
    """Return the day in Japan; mails of once a day name it in their keys."""
    return now.astimezone(JAPAN).date()


def to_tell(queues: Iterable[Queue], now: datetime) -> list[Queue]:
    """Return what moderators are told of in the morning: all that needs a decision."""
    if now.astimezone(JAPAN).hour < TOLD_FROM_HOUR:
        return []
    waiting = [q for q in queues if q.count and q.name in DECIDED_BY_PEOPLE]
    return in_order(waiting, now)


def in_order(queues: Iterable[Queue], now: datetime) -> list[Queue]:
    """Return overdue queues first, then the oldest; empty ones last."""
    return sorted(
        queues, key=lambda q: (not q.is_overdue(now), q.oldest is None, q.oldest or now)
    )


class Which(StrEnum):
    """Which matches a moderator looks at."""

    OPEN = "open"
    NOTES = "notes"
    DECIDED = "decided"


def is_urgent(until: datetime | None, now: datetime) -> bool:
    """Tell whether a hold ends within a day without a decision."""
    return until is not None and until - now < URGENT


@dataclass(frozen=True)
class Span:
    """When a signal was seen for somebody first and last, and how often."""

    first: datetime
    last: datetime
    count: int


def overlap(one: Span | None, other: Span | None) -> tuple[datetime, datetime] | None:
    """Return in which time both used it; a browser that was sold has none."""
    if one is None or other is None:
        return None
    since, until = max(one.first, other.first), min(one.last, other.last)
    return (since, until) if since <= until else None


@dataclass(frozen=True)
class Number:
    """A telephone number: its keyed hash as long as it is kept, its masked form."""

    hash: str | None
    kid: str | None
    masked: str

    def equals(self, other: "Number") -> bool:
        """Tell whether both are surely one number."""
        return self.hash is not None and self._key == other._key

    def differs(self, other: "Number") -> bool:
        """Tell whether they are surely two; without hashes the masked form decides."""
        comparable = self.hash is not None and other.hash is not None
        if comparable and self.kid == other.kid:
            return self.hash != other.hash
        return self.masked != other.masked

    @property
    def _key(self):
        return self.kid, self.hash


def count_different(numbers: Iterable[Number]) -> int:
    """Return how many of them are surely different numbers."""
    found: list[Number] = []
    for number in numbers:
        if all(number.differs(before) for before in found):
            found.append(number)
    return len(found)


class Answer(StrEnum):
    """What the data say to one question about two people."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def have_own_numbers(ours: Sequence[Number], theirs: Sequence[Number]) -> Answer:
    """Tell whether both confirmed numbers and none of them is the same."""
    if any(one.equals(other) for one in ours for other in theirs):
        return Answer.NO
    if not ours or not theirs:
        return Answer.UNKNOWN
    sure = all(one.differs(other) for one in ours for other in theirs)
    return Answer.YES if sure else Answer.UNKNOWN


Wrote = tuple[datetime, int]


def together(ours: Sequence[Wrote], theirs: Sequence[Wrote]) -> list[datetime]:
    """Return when we wrote while the other did from another device, newest first.

    Both are the newest first; each is an instant with a device.
    """
    found, begin = [], 0
    for at, device in ours:
        while begin < len(theirs) and theirs[begin][0] > at + SAME_MINUTES:
            begin += 1
        if _wrote_elsewhere(theirs, begin, at, device):
            found.append(at)
    return found


def _wrote_elsewhere(
    uses: Sequence[Wrote], begin: int, at: datetime, device: int
) -> bool:
    for number in range(begin, len(uses)):
        used_at, other = uses[number]
        if used_at < at - SAME_MINUTES:
            return False
        if other != device:
            return True
    return False
