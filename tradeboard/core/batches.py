"""Move many rows in short transactions, a bounded number of them in each."""

from tradeboard.core.records import dataclass

SIZE = 200


@dataclass(frozen=True)
class Batch:
    """How many values moved, and the last row that was looked at."""

    moved: int
    last_id: int
