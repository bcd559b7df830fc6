"""What the board tells of its own work: months, medians, and how charts are drawn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median

from tradeboard.core.japan import JAPAN
from tradeboard.core.records import dataclass

MONTHS = 12
# Below this nobody should read a trend into a number, and the page says so.
FEW = 10
# One or two must not look like a mountain: a full bar stands for this many at least.
LEAST_FULL = 5

WIDTH = 360
COLUMNS_HEIGHT = 160
ROW_HEIGHT = 44
HEAD, FOOT, GAP = 20, 22, 6
BAR_HEIGHT = 14
ROOM_FOR_COUNT = 48


class Kind(StrEnum):
    """What is counted; `unreviewed` is public now and waits for a moderator."""

    LISTED = "listed"
    UPHELD = "upheld"
    LIFTED = "lifted"
    EXPIRED = "expired"
    UNREVIEWED = "unreviewed"
    APPEALED = "appealed"
    GRANTED = "granted"
    REFUSED = "refused"
    CLOSED = "closed"


@dataclass(frozen=True)
class Tally:
    """How often what happened: by month, place 0 being all that came before."""

    starts: Sequence[datetime]
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def by_month(self, kind: str) -> list[int]:
        """Return the counts of the months, the oldest first."""
        return [self.counts[kind, place] for place in range(1, len(self.starts) + 1)]

    def in_all(self, kind: str) -> int:
        """Return how often it happened since the board began."""
        return sum(self.by_month(kind)) + self.counts[kind, 0]

    @property
    def open_appeals(self) -> int:
        """Return how many appeals wait."""
        ended = (Kind.GRANTED, Kind.REFUSED, Kind.CLOSED)
        return self.in_all(Kind.APPEALED) - sum(map(self.in_all, ended))

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing was ever public."""
        return not self.in_all(Kind.LISTED)


@dataclass(frozen=True)
class Typical:
    """How long something took in the middle of `count` cases; None without any."""

    count: int
    median: timedelta | None

    @property
    def is_few(self) -> bool:
        """Tell whether the cases are too few to say much."""
        return self.count < FEW

    @property
    def days(self) -> str | None:
        """Return the median in days, to one place, from two days on."""
        if self.median is None or self.median < timedelta(days=2):
            return None
        return f"{self.median / timedelta(days=1):.1f}"

    @property
    def hours(self) -> int | None:
        """Return the median in whole hours when it is shorter than two days."""
        if self.median is None or self.days is not None:
            return None
        return self.median // timedelta(hours=1)


@dataclass(frozen=True)
class Bar:
    """A bar of a chart, in the units of its drawing, and where its count stands."""

    count: int
    x: float
    y: float
    width: float
    height: float
    count_x: float
    count_y: float


def month_starts(now: datetime) -> list[datetime]:
    """Return when each of the last twelve months began in Japan, the oldest first."""
    today = now.astimezone(JAPAN)
    last = today.year * 12 + today.month - 1
    return [
        datetime(month // 12, month % 12 + 1, 1, tzinfo=JAPAN)
        for month in range(last - MONTHS + 1, last + 1)
    ]


def typical(durations: Sequence[timedelta]) -> Typical:
    """Return the median of durations, and of how many."""
    seconds = [duration.total_seconds() for duration in durations]
    middle = timedelta(seconds=median(seconds)) if seconds else None
    return Typical(len(seconds), middle)


def is_few(counts: Sequence[int]) -> bool:
    """Tell whether months are too small to compare."""
    return max(counts, default=0) < FEW


def columns(counts: Sequence[int]) -> list[Bar]:
    """Return upright bars, one a month; the highest of many is full."""
    slot = WIDTH / max(len(counts), 1)
    floor, most = COLUMNS_HEIGHT - FOOT, max([*counts, LEAST_FULL])
    bars = []
    for place, count in enumerate(counts):
        height = round((floor - HEAD) * count / most, 1)
        x, y = round(place * slot + GAP / 2, 1), round(floor - height, 1)
        middle = round((place + 0.5) * slot, 1)
        width = round(slot - GAP, 1)
        bars.append(Bar(count, x, y, width, height, middle, round(y - 4, 1)))
    return bars


def rows(counts: Sequence[int]) -> list[Bar]:
    """Return level bars, each under its name, with room for its count."""
    most, longest = max([*counts, LEAST_FULL]), WIDTH - ROOM_FOR_COUNT
    bars = []
    for place, count in enumerate(counts):
        width = round(longest * count / most, 1)
        y = place * ROW_HEIGHT + HEAD
        bars.append(Bar(count, 0, y, width, BAR_HEIGHT, width + GAP, y + 11))
    return bars
