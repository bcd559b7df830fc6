"""Counts statements, and logs the slow ones: never what they were about."""

import time
from collections import deque
from threading import Lock

from flask import Flask
from sqlalchemy import Engine, event

from tradeboard.core.doing import current
from tradeboard.core.lean import structlog

log = structlog.get_logger("tradeboard.slow")

LONGEST = 2000
MOST_A_MINUTE = 60
BEGAN = "tradeboard_began"


class _Limits:
    """From when on a statement is slow, and which were logged in the last minute."""

    seconds = 0.0
    lock = Lock()
    logged: deque[float] = deque()


def init_app(app: Flask) -> None:
    """Log what takes longer than the setting says; 0 logs nothing."""
    _Limits.seconds = app.config["SLOW_QUERY_MS"] / 1000


@event.listens_for(Engine, "before_cursor_execute")
def begin(connection, _cursor, _statement, _parameters, _context, _many):
    """Count the statement, and look at the clock."""
    if (doing := current()) is not None:
        doing.statements += 1
    connection.info[BEGAN] = time.perf_counter()


@event.listens_for(Engine, "after_cursor_execute")
def end(connection, _cursor, statement, _parameters, _context, _many):
    """Log the statement if it was slow."""
    spent = time.perf_counter() - connection.info[BEGAN]
    if 0 < _Limits.seconds < spent and _may_log(time.monotonic()):
        doing = current()
        log.warning(
            "slow statement",
            ms=round(spent * 1000),
            id=doing.id if doing else None,
            doing=doing.name if doing else None,
            statement=" ".join(statement.split())[:LONGEST],
        )


def _may_log(at: float) -> bool:
    """Tell whether few enough were logged lately; a flood would hide the rest."""
    with _Limits.lock:
        while _Limits.logged and at - _Limits.logged[0] > 60:
            _Limits.logged.popleft()
        if len(_Limits.logged) >= MOST_A_MINUTE:
            return False
        _Limits.logged.append(at)
        return True
