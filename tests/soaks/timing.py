"""Whether answers to two questions differ in time: pairs, compared by their order."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import erfc, sqrt
from statistics import median

LEAST_P = 0.01


@dataclass(frozen=True)
class Times:
    """What pairs of times say: how likely they are by chance, and how they differ.

    `slower` is by how much, in the middle, the answer about somebody who is here came
    later than the one about nobody; `spread` is how far a pair is from that, in the
    middle, by which one sees how much a busy machine may have hidden.
    """

    p: float
    slower: float
    spread: float

    @property
    def tells(self) -> bool:
        """Tell whether somebody could learn from it who is here."""
        return self.p <= LEAST_P


def times(ask, pairs: int, *, before: Callable[[], None]) -> Times:
    """Measure; what tells something must do so again, and in the same direction.

    `ask` takes whether the person is here and returns what sends the question; `before`
    happens before each.
    """
    first = compared(_pairs(ask, pairs, before))
    if not first.tells:
        return first
    again = compared(_pairs(ask, pairs, before))
    return again if again.slower * first.slower > 0 else Times(1.0, 0.0, again.spread)


def _pairs(ask, pairs: int, before) -> list[float]:
    """Ask about both in turn, each first every second time; return the differences."""
    differences = []
    for number in range(pairs):
        taken = {is_here: _took(ask(is_here), before) for is_here in _in_turn(number)}
        differences.append(taken[True] - taken[False])
    return differences


def _in_turn(number: int) -> tuple[bool, bool]:
    return (True, False) if number % 2 else (False, True)


def _took(send, before) -> float:
    before()
    began = time.perf_counter()
    send()
    return time.perf_counter() - began


def compared(differences: list[float]) -> Times:
    """Return what Wilcoxon's test of paired differences says, by the normal curve.

    It looks at the order of the differences and not at their size: a moment in which
    the machine was busy meets both of a pair, or is one large difference among many.
    """
    ranked = sorted(filter(None, differences), key=abs)
    n = len(ranked)
    above = sum(rank for rank, one in enumerate(ranked, 1) if one > 0)
    z = (above - n * (n + 1) / 4) / sqrt(n * (n + 1) * (2 * n + 1) / 24) if n else 0.0
    middle = median(differences)
    spread = median([abs(one - middle) for one in differences])
    return Times(erfc(abs(z) / sqrt(2)), middle, spread)
