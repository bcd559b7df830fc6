"""What the desk's charts show and where its bars stand; numbers alone, no people."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from statistics import median

from tradeboard.core.records import dataclass
from tradeboard.moderation.rules.desk import day_in_japan

PERIODS = (12, 26, 52)
WIDTH, COLUMNS_HEIGHT, ROW_HEIGHT = 360, 120, 40
HEAD, FOOT, GAP, ROOM = 20, 20, 3, 60
FEW = 5
ENTRY_LIFTED_WITHIN = timedelta(days=14)
AGES = (3, 7, 14)

Value = float | int | None


@dataclass(frozen=True)
class Series:
    """Numbers of one kind, one for each label; None where there is nothing to say."""

    code: str
    values: Sequence[Value]


@dataclass(frozen=True)
class Chart:
    """One chart: weeks as columns, or named things as level bars."""

    code: str
    unit: str
    labels: Sequence[date] | Sequence[str]
    series: Sequence[Series]

    @property
    def is_weekly(self) -> bool:
        """Tell whether the labels are weeks."""
        return bool(self.labels) and isinstance(self.labels[0], date)


@dataclass(frozen=True)
class Bar:
    """A bar in the units of its drawing, and where its number stands."""

    value: Value
    x: float
    y: float
    width: float
    height: float


def week_of(instant: datetime) -> date:
    """Return the Monday of the week in Japan."""
    day = day_in_japan(instant)
    return day - timedelta(days=day.weekday())


def weeks(now: datetime, count: int) -> list[date]:
    """Return the last weeks, this one included, oldest first."""
    this = week_of(now)
    return [this - timedelta(weeks=back) for back in range(count - 1, -1, -1)]


def since(now: datetime, count: int) -> datetime:
    """Return an instant not after the beginning of the first of these weeks."""
    return now - timedelta(weeks=count)


def by_week(instants: Iterable[datetime], starts: Sequence[date]) -> list[int]:
    """Count instants in each week."""
    counts = dict.fromkeys(starts, 0)
    for instant in instants:
        week = week_of(instant)
        if week in counts:
            counts[week] += 1
    return list(counts.values())


def shares(parts: Sequence[int], wholes: Sequence[int]) -> list[Value]:
    """Return percentages; of nothing there is none."""
    return [
        round(100 * part / whole) if whole else None
        for part, whole in zip(parts, wholes, strict=True)
    ]


def middle(spans: Sequence[timedelta]) -> Value:
    """Return the median in days, to a tenth."""
    if not spans:
        return None
    return round(median(span / timedelta(days=1) for span in spans), 1)


def by_age(made: Iterable[datetime], now: datetime) -> list[int]:
    """Count what waits by its age in days: up to 3, 7, 14, and longer."""
    counts = [0] * (len(AGES) + 1)
    for instant in made:
        days = (now - instant) / timedelta(days=1)
        counts[sum(days > age for age in AGES)] += 1
    return counts


def columns(values: Sequence[Value]) -> list[Bar]:
    """Return upright bars, the highest full."""
    slot = WIDTH / max(len(values), 1)
    floor = COLUMNS_HEIGHT - FOOT
    most = max([value or 0 for value in values] + [FEW])
    bars = []
    for place, value in enumerate(values):
        height = round((floor - HEAD) * (value or 0) / most, 1)
        gap = min(GAP, slot / 4)
        bars.append(
            Bar(
                value,
                round(place * slot + gap / 2, 1),
                round(floor - height, 1),
                round(slot - gap, 1),
                height,
            )
        )
    return bars


def rows(values: Sequence[Value]) -> list[Bar]:
    """Return level bars, each under its name, with room for its number."""
    most = max([value or 0 for value in values] + [1])
    return [
        Bar(
            value,
            0,
            place * ROW_HEIGHT + HEAD,
            round((WIDTH - ROOM) * (value or 0) / most, 1),
            12,
        )
        for place, value in enumerate(values)
    ]
