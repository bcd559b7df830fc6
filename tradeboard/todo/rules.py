"""What awaits a member, in which order it stands, and what is near its deadline."""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum

from tradeboard.core.records import dataclass
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.next_step import Step

WITHOUT_DEADLINE = datetime.max.replace(tzinfo=UTC)


class Duty(StrEnum):
    """What awaits a member outside the steps of a trade."""

    ANSWER_MODERATOR = "answer_moderator"
    GIVE_FEEDBACK = "give_feedback"
    READ_WARNING = "read_warning"
    AGREE_TERMS = "agree_terms"
    CONFIRM_EMAIL = "confirm_email"


@dataclass(frozen=True)
class Task:
    """One step of one trade, mine or awaited."""

    trade_id: int
    step: Step

    @property
    def code(self) -> str:
        """Return what is to be done."""
        return self.step.code

    @property
    def number(self) -> int:
        """Return which trade it is."""
        return self.trade_id

    @property
    def deadline(self) -> datetime | None:
        """Return before when, if there is a limit."""
        return self.step.deadline

    def is_near(self, now: datetime) -> bool:
        """Tell whether less than three days are left."""
        return _is_near(self.deadline, now)


@dataclass(frozen=True)
class Errand:
    """One duty: `number` says what it is about, an entry, a trade or a version."""

    code: Duty
    number: int
    deadline: datetime | None = None

    def is_near(self, now: datetime) -> bool:
        """Tell whether less than three days are left."""
        return _is_near(self.deadline, now)


Open = Task | Errand


def in_order(found: Iterable[Open]) -> list[Open]:
    """Sort by deadline; what has none comes last, older trades first."""
    return sorted(
        found, key=lambda one: (one.deadline or WITHOUT_DEADLINE, one.number, one.code)
    )


def _is_near(deadline: datetime | None, now: datetime) -> bool:
    return deadline is not None and deadline - clock.SOON <= now
