"""What the board shows beside its listings: gathered once in some seconds a process."""

import time
from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime

from tradeboard.core.kept import Kept
from tradeboard.core.records import dataclass
from tradeboard.listings.queries import board

FRESH_FOR_S = 10


@dataclass(frozen=True)
class Pulse:
    """The games and rarities to choose from, and when the newest 101 were posted."""

    games: Sequence[str]
    rarities: Sequence[str]
    instants: Sequence[datetime]

    @property
    def count(self) -> int:
        """Return how many listings there are, no further than one beyond a hundred."""
        return len(self.instants)

    def posted_since(self, moment: datetime) -> int:
        """Return how many came since, counted like the others."""
        return self.count - bisect_left(self.instants, moment)


_kept: Kept[str, Pulse] = Kept(FRESH_FOR_S, most=1)


def pulse() -> Pulse:
    """Return what is known, at most ten seconds old."""
    at = time.monotonic()
    known = _kept.find("board", at=at)
    if known is None:
        instants = sorted(board.newest_instants())
        known = Pulse(board.games(), board.rarities(), instants)
        _kept.keep("board", known, asked_at=at)
    return known
