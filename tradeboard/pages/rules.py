"""The worked example of the two-week clock, and where its drawing has what."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from tradeboard.core.records import dataclass
from tradeboard.trades.rules import clock

# 14:00 in Japan.
FIRST_DISPATCH = datetime(2026, 12, 1, 5, tzinfo=UTC)
A_SECOND = timedelta(seconds=1)

WIDTH, HEIGHT, MARGIN, LINE = 340, 92, 22, 46


class Step(StrEnum):
    """What happens on the way."""

    BEGINS = "begins"
    TOLD = "told"
    LATEST = "latest"
    DUE = "due"


@dataclass(frozen=True)
class Mark:
    """One instant of the example, and where it is drawn."""

    step: Step
    at: datetime
    days_left: int
    x: float


def example() -> list[Mark]:
    """Return the instants of the example, in their order."""
    due = clock.due_at(FIRST_DISPATCH)
    instants = [(Step.BEGINS, FIRST_DISPATCH), (Step.DUE, due)]
    instants += [(Step.TOLD, due - before) for before in clock.NOTICES]
    instants.append((Step.LATEST, clock.latest_sensible_dispatch(due)))
    return [
        Mark(step, at, (due - at).days, _x(at))
        for step, at in sorted(instants, key=lambda one: one[1])
    ]


def edges() -> tuple[datetime, datetime]:
    """Return the last second in time, and the first that is late."""
    due = clock.due_at(FIRST_DISPATCH)
    return due - A_SECOND, due


def _x(at: datetime) -> float:
    share = (at - FIRST_DISPATCH) / clock.TWO_WEEKS
    return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)
