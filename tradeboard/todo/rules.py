"""In which order what awaits a member stands, and what is near its deadline."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from tradeboard.trades.rules import clock
from tradeboard.trades.rules.next_step import Step

WITHOUT_DEADLINE = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Task:
    """One step of one trade, mine or awaited."""

    trade_id: int
    step: Step

    def is_near(self, now: datetime) -> bool:
        """Tell whether less than three days are left."""
        deadline = self.step.deadline
        return deadline is not None and deadline - clock.SOON <= now


def in_order(tasks: Iterable[Task]) -> list[Task]:
    """Sort by deadline; what has none comes last, older trades first."""
    return sorted(
        tasks,
        key=lambda task: (
            task.step.deadline or WITHOUT_DEADLINE,
            task.trade_id,
            task.step.code,
        ),
    )
