"""Statements that are asked so often that SQLAlchemy would cost more than they do.

Each is compiled once and prepared by every connection. One that stands alone needs no
BEGIN, no ROLLBACK, and one trip; it sees what is committed, and nothing that the
session holds. One of the session sees and changes what the session's transaction does.
Who counts or times statements is told of either like of any other.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    JSON,
    Connection,
    Engine,
    Insert,
    Select,
    Update,
    bindparam,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import Delete

from tradeboard.core import wire
from tradeboard.core.db import REPLICA, connection, db, from_replica, writing

Statement = Select | Insert | Update | Delete
Rows = Sequence[Sequence[Any]]
Ask = Callable[[Select, Mapping[str, Any]], Rows]

DIALECTS: dict[str, Any] = {
    "postgresql": postgresql.psycopg.dialect(paramstyle="numeric_dollar"),
    "sqlite": sqlite.dialect(paramstyle="named"),
}
FEW = 8  # So many rows are one statement; the driver sends more of them in parts.
# The statement is unknown, as after DEALLOCATE, or its tables have changed.
OUTDATED = frozenset({b"26000", b"0A000"})
THERE_ALREADY = b"42P05"
# What libpq calls done, and rows, and a failure; and where it says which.
DONE, ROWS, FAILED, SQLSTATE = 1, 2, 7, ord("C")


@dataclass(frozen=True)
class Compiled:
    """A statement in the SQL of one database, and how its values are written."""

    text: str
    writers: tuple[tuple[str, wire.Convert], ...]
    fixed: Mapping[str, Any]
    readers: tuple[wire.Convert, ...]
    name: bytes  # Made of the text: nowhere does it stand for another statement.


@lru_cache(maxsize=256)
def compiled(
    statement: Statement, dialect: str, names: frozenset[str] | None = None
) -> Compiled:
    """Compile a statement; the same object is compiled once.

    `names` are those that a change is given: of a new row, others have their defaults.
    """
    if isinstance(statement, Insert):
        statement = statement.inline()
    made = statement.compile(dialect=DIALECTS[dialect], column_keys=names)
    if any(bind.expanding for bind in made.binds.values()):
        raise TypeError("a list whose length is part of the text")
    text = str(made)
    given = {column.key: _default(column) for column in made.insert_prefetch}
    columns = statement.exported_columns
    return Compiled(
        text=text,
        writers=tuple(
            (name, _writer(made.binds[name].type, dialect))
            for name in made.positiontup or made.params
        ),
        fixed={**made.params, **given},
        readers=tuple(wire.reader(column.type, dialect) for column in columns),
        name=f"tradeboard_{sha256(text.encode()).hexdigest()[:32]}".encode(),
    )


def _default(column: Any) -> Any:
    """Return what a column holds in a new row that does not say."""
    if not column.default.is_scalar:
        raise TypeError(f"{column} has no plain default")
    return column.default.arg


def _writer(kind: Any, dialect: str) -> wire.Convert:
    """Return what turns a value into what goes to the database."""
    onto = wire.for_sqlite if dialect == "sqlite" else wire.for_postgresql
    if isinstance(kind, JSON):
        return lambda value: onto(json.dumps(value))
    process = kind.dialect_impl(DIALECTS[dialect]).bind_processor(DIALECTS[dialect])
    return onto if process is None else lambda value: onto(process(value))


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
    if at_hand.dialect.name == "sqlite" or not may_prepare(pooled):
        return [_by_sqlalchemy(at_hand, *one) for one in asked]
    driver = pooled.dbapi_connection
    with _session_errors(at_hand, pooled):
        if len(asked) > 1 or driver.before is not None or driver.is_idle():
            waiting = _Waiting.on(at_hand, pooled)
            waiting.asked.extend(_values(*one) for one in asked)
            return waiting()[-len(asked) :]
        return [_on_postgresql(at_hand.engine, pooled, *one) for one in asked]


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
    if at_hand.dialect.name == "sqlite" or not may_prepare(pooled):
        rows = _by_sqlalchemy(at_hand, statement, values)
        return then(rows) if then is not None else None
    waiting = _Waiting.on(at_hand, pooled)
    if then is not None:
        waiting.then.append((len(waiting.asked), then))
    waiting.asked.append(_values(statement, values))
    return None


def settle() -> None:
    """Send what waits for the end of the transaction, if somebody wants to know of it.

    The rest goes with COMMIT.
    """
    at_hand = connection()
    pooled: Any = at_hand.connection
    waiting = getattr(pooled.dbapi_connection, "before", None)
    if waiting is not None and waiting.then:
        with _session_errors(at_hand, pooled):
            waiting()


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


@contextmanager
def told(engine: Engine, pooled: Any, text: str, given: Any = None) -> Iterator[None]:
    """Tell who counts or times statements of the one in the block."""
    seen: Any = (pooled, None, text.strip(), given, None, False)
    _tell(engine.dispatch.before_cursor_execute, seen)
    yield
    _tell(engine.dispatch.after_cursor_execute, seen)


def _tell(listeners: Any, *seen: Any) -> None:
    """Tell each listener of each statement."""
    for listener in listeners:
        for one in seen:
            listener(*one)


def run(
    engine: Engine, pooled: Any, statement: Statement, values: Mapping[str, Any]
) -> Rows:
    """Run one statement on a lent connection and commit what it changes."""
    if engine.dialect.name == "postgresql":
        return _on_postgresql(engine, pooled, statement, values)
    known = compiled(statement, "sqlite")
    given = {**known.fixed, **values}
    named = {name: write(given[name]) for name, write in known.writers}
    with told(engine, pooled, known.text, named):
        found = pooled.dbapi_connection.execute(known.text, named)
        return [_read(row, known) for row in found]


def _read(row: Sequence[Any], known: Compiled) -> list[Any]:
    return [
        None if value is None else read(value)
        for read, value in zip(known.readers, row, strict=True)
    ]


def _on_postgresql(
    engine: Engine, pooled: Any, statement: Statement, values: Mapping[str, Any]
) -> Rows:
    """Ask by the driver's own calls; a plan of before a migration is made anew.

    In a transaction it is not asked again: what failed has ended that.
    """
    known, texts = _values(statement, values)
    dialect: Any = engine.dialect
    driver = pooled.dbapi_connection
    with told(engine, pooled, known.text, texts):
        result = _ask(dialect, driver, known, texts)
        if _is_outdated(result) and driver.forget(known.name):
            result = _ask(dialect, driver, known, texts)
        _require_good(dialect, result)
    return _rows(result, known)


def _values(statement: Statement, values: Mapping[str, Any]) -> tuple[Compiled, list]:
    """Return a statement as PostgreSQL knows it, and what goes with it."""
    names = None if isinstance(statement, Select) else frozenset(values)
    known = compiled(statement, "postgresql", names)
    given = {**known.fixed, **values}
    return known, [write(given[name]) for name, write in known.writers]


def _rows(result: Any, known: Compiled) -> Rows:
    get, across = result.get_value, range(result.nfields)
    return [
        _read([get(at, column) for column in across], known)
        for at in range(result.ntuples)
    ]


def _ask(dialect: Any, driver: Any, known: Compiled, texts: list) -> Any:
    """Ask once; what this connection does not know is prepared first."""
    _prepare(dialect, driver, known)
    return driver.pgconn.exec_prepared(known.name, texts)


def _prepare(dialect: Any, driver: Any, known: Compiled) -> None:
    if known.name not in driver.known:
        made = driver.pgconn.prepare(known.name, known.text.encode())
        if made.error_field(SQLSTATE) != THERE_ALREADY:
            _require_good(dialect, made)
        driver.known.add(known.name)


@dataclass(frozen=True)
class _Waiting:
    """What goes to PostgreSQL with the next trip of a transaction, in this order.

    `then` are those who want to know what one of them found.
    """

    at_hand: Connection
    pooled: Any
    asked: list[tuple[Compiled, list]] = field(default_factory=list)
    then: list[tuple[int, Callable[[Rows], None]]] = field(default_factory=list)

    @classmethod
    def on(cls, at_hand: Connection, pooled: Any) -> "_Waiting":
        """Return what waits on a connection; it goes whoever asks there next."""
        driver = pooled.dbapi_connection
        if driver.before is None:
            driver.before = cls(at_hand, pooled)
        return driver.before

    def __call__(self, *, ends: bool = False) -> list[Rows]:
        """Send it, with COMMIT if that `ends` the transaction; return what each found.

        Nobody who wants to know can refuse any more what has been committed.
        """
        engine, driver = self.at_hand.engine, self.pooled.dbapi_connection
        dialect: Any = engine.dialect
        driver.before = None
        for known, _ in self.asked:
            _prepare(dialect, driver, known)
        seen = [
            (self.pooled, None, known.text, texts, None, False)
            for known, texts in self.asked
        ]
        _tell(engine.dispatch.before_cursor_execute, *seen)
        asked = [(known.name, texts) for known, texts in self.asked]
        results = driver.ask_each(asked, ends=ends and not self.then)
        for result, (known, _) in zip(results, self.asked, strict=False):
            if _is_outdated(result):
                driver.forget(known.name)
            _require_good(dialect, result)
        for result in results[len(asked) :]:
            _require_good(dialect, result)
        _tell(engine.dispatch.after_cursor_execute, *seen)
        found = [
            _rows(result, known)
            for result, (known, _) in zip(results, self.asked, strict=False)
        ]
        for at, then in self.then:
            then(found[at])
        return found


def _is_outdated(result: Any) -> bool:
    return result.status == FAILED and result.error_field(SQLSTATE) in OUTDATED


def _require_good(dialect: Any, result: Any) -> None:
    """Raise what the driver would for all but an answer; "none" is one, too."""
    if result.status not in (DONE, ROWS):
        raise dialect.dbapi.errors.error_from_result(result)
