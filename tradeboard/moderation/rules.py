"""Which queue comes first on the desk, and when one has waited too long."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

COUNTED = 100

PATIENCE = {
    "unreviewed": timedelta(days=14),
    "held": timedelta(days=7),
    "differs": timedelta(days=7),
    "calls": timedelta(days=2),
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


def in_order(queues: Iterable[Queue], now: datetime) -> list[Queue]:
    """Return overdue queues first, then the oldest; empty ones last."""
    return sorted(
        queues, key=lambda q: (not q.is_overdue(now), q.oldest is None, q.oldest or now)
    )
