"""How every job walks through its rows: each in a transaction of its own."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.orm.exc import StaleDataError

from tradeboard.core import heartbeat
from tradeboard.core.errors import Refusal
from tradeboard.core.transaction import transaction

log = logging.getLogger(__name__)


@dataclass
class Swept:
    """What one sweep did: how many rows, what the verb returned, how many failed."""

    done: int = 0
    failed: int = 0
    results: list[Any] = field(default_factory=list)


def sweep(
    row_ids: Iterable[int],
    verb: Callable[..., Any],
    *,
    now: datetime,
    postpone: Callable[..., None] | None = None,
) -> Swept:
    """Do `verb` to each row; a row that fails stops no other.

    `postpone(row_id, now=now)` is called for a row whose verb broke, in a transaction
    of its own, so that a poison row is tried again later and less often.
    """
    swept = Swept()
    for row_id in row_ids:
        heartbeat.beat()
        try:
            with transaction():
                result = verb(row_id, now=now)
            swept.done += 1
            swept.results.append(result)
        except (Refusal, StaleDataError):
            log.info("%s: somebody was faster with %s", verb.__name__, row_id)
        except Exception:
            swept.failed += 1
            log.exception("%s: %s is left for a later round", verb.__name__, row_id)
            if postpone is not None:
                with transaction():
                    postpone(row_id, now=now)
    return swept
