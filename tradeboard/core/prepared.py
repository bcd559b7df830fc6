"""Statements that are asked so often that SQLAlchemy would cost more than they do.

Each is compiled once and prepared by every connection. One that stands alone needs no
BEGIN, no ROLLBACK, and one trip; it sees what is committed, and nothing that the
session holds. One of the session sees and changes what the session's transaction does.
Who counts or times statements is told of either like of any other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Engine, Insert, Select, bindparam
from sqlalchemy.exc import DBAPIError

from tradeboard.core import trips
from tradeboard.core.compiling import Statement, compiled, for_postgresql
from tradeboard.core.db import REPLICA, connection, db, from_replica, writing
from tradeboard.core.trips import Rows, Waiting

Ask = Callable[[Select, Mapping[str, Any]], Rows]

FEW = 8  # So many rows are one statement; the driver sends more of them in parts.


def in_session(statement: Statement, values: Mapping[str, Any]) -> Rows:
    """Run a statement in the session's transaction, behind what waits in it.

    It sees what the transaction has changed; what it changes itself is not read anew.
    """
    return together((statement, values))[0]


def together(*asked: tuple[Statement, Mapping[str, Any]]) -> list[Rows]:
    """Run statements one after the other as `in_session`, in one trip where it can be.

    Each sees what is committed by then, as it would in a trip of its own.
    """
    at_hand = connection()
    pooled: Any = at_hand.connection
    if not _goes_past(at_hand):
        return [_by_sqlalchemy(at_hand, *one) for one in asked]
    driver = pooled.dbapi_connection
    with _session_errors(at_hand, pooled):
        if len(asked) > 1 or driver.before is not None or driver.is_idle():
            waiting = Waiting.on(at_hand, pooled)
            waiting.asked.extend(for_postgresql(*one) for one in asked)
            return waiting()[-len(asked) :]
        return [trips.ask(at_hand.engine, pooled, *one) for one in asked]


def later(
    statement: Statement,
    values: Mapping[str, Any],
    *,
    then: Callable[[Rows], None] | None = None,
) -> None:
    """Run a change as `in_session`, together with what the transaction asks next.

    That spares a trip. Whatever reads comes after it, and so does COMMIT; what it
    breaks is raised there. `then` is told what it found, and may raise.
    """
    if not writing.get():
        raise RuntimeError("a change outside of a transaction")
    at_hand = connection()
    pooled: Any = at_hand.connection
    if not _goes_past(at_hand):
        rows = _by_sqlalchemy(at_hand, statement, values)
        return then(rows) if then is not None else None
    waiting = Waiting.on(at_hand, pooled)
    if then is not None:
        waiting.then.append((len(waiting.asked), then))
    waiting.asked.append(for_postgresql(statement, values))
    return None


def settle() -> None:
    """Send what waits for the end of the transaction, if somebody wants to know of it.

    The rest goes with COMMIT.
    """
    at_hand = connection()
    pooled: Any = at_hand.connection
    refused = getattr(pooled.dbapi_connection, "refused", None)
    waiting = getattr(pooled.dbapi_connection, "before", None)
    with _session_errors(at_hand, pooled):
        if refused is not None:
            raise refused
        if waiting is not None and waiting.then:
            waiting()


def _goes_past(at_hand: Connection) -> bool:
    """Tell whether statements of the session go past SQLAlchemy on this connection."""
    return at_hand.dialect.name == "postgresql" and may_prepare(at_hand.connection)


def _by_sqlalchemy(
    at_hand: Connection, statement: Statement, values: Mapping[str, Any]
) -> Rows:
    found = at_hand.execute(statement, dict(values))
    return found.all() if found.returns_rows else []


@contextmanager
def _session_errors(at_hand: Connection, pooled: Any) -> Iterator[None]:
    """Raise what SQLAlchemy would; a connection that is lost is not used again."""
    dialect: Any = at_hand.dialect
    try:
        yield
    except dialect.dbapi.Error as error:
        if dialect.is_disconnect(error, pooled.dbapi_connection, None):
            at_hand.invalidate(error)
        raise _as_sqlalchemy(error, dialect) from error


def each(statement: Insert, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, which all say the same columns, `later`."""
    if len(rows) > FEW:
        connection().execute(statement, rows)
    elif rows:
        numbered = {
            f"{k}_{at}": v for at, row in enumerate(rows) for k, v in row.items()
        }
        later(_of_several(statement, tuple(rows[0]), len(rows)), numbered)


@lru_cache(maxsize=64)
def _of_several(statement: Insert, names: tuple[str, ...], number: int) -> Insert:
    """Return a statement that adds so many rows at once."""
    columns = statement.table.c
    return statement.values(
        [
            {
                name: bindparam(f"{name}_{at}", type_=columns[name].type)
                for name in names
            }
            for at in range(number)
        ]
    )


def alone(statement: Select, values: Mapping[str, Any]) -> Rows:
    """Ask outside of any transaction, from the replica where the page may."""
    if writing.get():
        return in_session(statement, values)
    engine = db.engines[REPLICA] if from_replica.get() else db.engine
    with lent(engine) as pooled:
        if may_prepare(pooled):
            return run(engine, pooled, statement, values)
    return in_session(statement, values)


def on_primary(statement: Select, values: Mapping[str, Any]) -> Rows:
    """Ask the primary whatever the page: an old answer would let somebody in."""
    token = from_replica.set(False)
    try:
        return alone(statement, values)
    finally:
        from_replica.reset(token)


def may_prepare(pooled: Any) -> bool:
    """Tell whether a statement may stand alone on a connection.

    Behind a pooler it may not: what is prepared is unknown in the next transaction,
    and each has to set its own limits.
    """
    return getattr(pooled.dbapi_connection, "prepare_threshold", 0) is not None


@contextmanager
def lent(engine: Engine) -> Iterator[Any]:
    """Lend a connection past SQLAlchemy; after an error it is not used again."""
    dialect: Any = engine.dialect
    try:
        pooled = engine.raw_connection()
        try:
            yield pooled
        except BaseException:
            pooled.invalidate()
            raise
        pooled.close()
    except dialect.dbapi.Error as error:
        raise _as_sqlalchemy(error, dialect) from error


def _as_sqlalchemy(error: Exception, dialect: Any) -> BaseException:
    """Return the error that SQLAlchemy makes of one of the driver."""
    return DBAPIError.instance(
        "a prepared statement",
        None,
        error,
        dialect.dbapi.Error,
        hide_parameters=True,
        dialect=dialect,
    )


def run(
    engine: Engine, pooled: Any, statement: Statement, values: Mapping[str, Any]
) -> Rows:
    """Run one statement on a lent connection and commit what it changes."""
    if engine.dialect.name == "postgresql":
        return trips.ask(engine, pooled, statement, values)
    known = compiled(statement, "sqlite")
    given = {**known.fixed, **values}
    named = {name: write(given[name]) for name, write in known.writers}
    with trips.told(engine, pooled, known.text, named):
        found = pooled.dbapi_connection.execute(known.text, named)
        return [trips.meaning(row, known) for row in found]
