"""What of a record counts, and what small numbers may say.

Of several trades of the same two people within 30 days one counts: what can be repeated
at will says nothing. What speaks against somebody is counted each time.
"""

import math
from collections.abc import Iterable
from datetime import datetime, timedelta
from statistics import median
from typing import TypeVar

APART = timedelta(days=30)
DAY = timedelta(days=1)

# Below this, a share says little about anybody.
ENOUGH_TO_TELL = 5

Row = TypeVar("Row")


def groups(rows: Iterable[tuple[int, datetime, Row]]) -> list[list[Row]]:
    """Gather what counts once: rows of one partner, 30 days from the first of them.

    A row is a partner, an instant, and anything else; they come in any order.
    """
    found: list[list[Row]] = []
    open_: dict[int, tuple[datetime, list[Row]]] = {}
    for partner, at, row in sorted(rows, key=lambda each: (each[1], each[0])):
        begun = open_.get(partner)
        if begun is not None and at < begun[0] + APART:
            begun[1].append(row)
            continue
        open_[partner] = (at, [row])
        found.append(open_[partner][1])
    return found


def share(part: int, whole: int) -> int | None:
    """Return a share in percent, rounded down; None while there is little to tell."""
    return part * 100 // whole if whole >= ENOUGH_TO_TELL else None


def days_between(waits: Iterable[timedelta]) -> int | None:
    """Return the median of some waits in begun days; None if there are none."""
    known = [max(wait / DAY, 0.0) for wait in waits]
    return math.ceil(median(known)) if known else None
