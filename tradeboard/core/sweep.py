"""How every job walks through its rows: each in a transaction of its own."""

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import field
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy.orm.exc import StaleDataError

from tradeboard.core import heartbeat
from tradeboard.core.errors import Refusal
from tradeboard.core.records import dataclass
from tradeboard.core.transaction import transaction

log = logging.getLogger(__name__)

# So many rows share a transaction, where a verb takes several.
TOGETHER = 100
# So many results are kept, that a sweep of any length needs no more memory.
RESULTS = 1000


@dataclass
class Swept:
    """What one sweep did: how many rows, what the verb returned, how many failed.

    Of what the verb returned, the first RESULTS are kept.
    """

    done: int = 0
    failed: int = 0
    results: list[Any] = field(default_factory=list)

    def add(self, results: Iterable[Any]) -> None:
        """Count rows that were done, with what the verb returned for each."""
        for result in results:
            self.done += 1
            if len(self.results) < RESULTS:
                self.results.append(result)


def until_none(verb: Callable[[], int]) -> int:
    """Do what takes some rows at a time until there are none; return how many."""
    done = 0
    while True:
        heartbeat.beat()
        with transaction():
            some = verb()
        if not some:
            return done
        done += some


def sweep(
    row_ids: Iterable[int],
    verb: Callable[..., Any],
    *,
    now: datetime,
    postpone: Callable[..., None] | None = None,
    together: Callable[..., Collection[Any]] | None = None,
) -> Swept:
    """Do `verb` to each row; a row that fails stops no other.

    `postpone(row_id, now=now)` is called for a row whose verb broke, in a transaction
    of its own, so that a poison row is tried again later and less often.
    `together(row_ids, now=now)` does to several what the verb does to one, and returns
    what that would for those that it did; if it breaks, each row is taken alone.
    """
    swept = Swept()
    rest = iter(row_ids)
    while some := list(islice(rest, TOGETHER)):
        heartbeat.beat()
        if together is None or not _did(together, some, swept, now):
            _each(some, verb, swept, now, postpone)
    return swept


def _did(
    together: Callable[..., Collection[Any]],
    row_ids: list[int],
    swept: Swept,
    now: datetime,
) -> bool:
    try:
        with transaction():
            results = together(row_ids, now=now)
    except Exception:
        log.info("%s: each of %s alone", together.__name__, len(row_ids), exc_info=True)
        return False
    swept.add(results)
    return True


def _each(
    row_ids: list[int],
    verb: Callable[..., Any],
    swept: Swept,
    now: datetime,
    postpone: Callable[..., None] | None,
) -> None:
    for row_id in row_ids:
        heartbeat.beat()
        try:
            with transaction():
                result = verb(row_id, now=now)
            swept.add([result])
        except (Refusal, StaleDataError):
            log.info("%s: somebody was faster with %s", verb.__name__, row_id)
        except Exception:
            swept.failed += 1
            log.exception("%s: %s is left for a later round", verb.__name__, row_id)
            if postpone is not None:
                with transaction():
                    postpone(row_id, now=now)
