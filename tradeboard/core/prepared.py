"""Statements that are asked so often that SQLAlchemy would cost more than they do.

Each is compiled once and prepared by every connection, and stands alone: no BEGIN, no
ROLLBACK, one trip. It sees what is committed, and nothing that the session holds. Who
counts or times statements is told of it like of any other.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    ARRAY,
    Boolean,
    Engine,
    Enum,
    Integer,
    Select,
    String,
    TypeDecorator,
    bindparam,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import ColumnElement

from tradeboard.core.db import (
    REPLICA,
    SQLITE_FORMAT,
    UtcDateTime,
    db,
    from_replica,
    writing,
)

Rows = Sequence[Sequence[Any]]
Ask = Callable[[Select, Mapping[str, Any]], Rows]

DIALECTS: dict[str, Any] = {
    "postgresql": postgresql.psycopg.dialect(paramstyle="numeric_dollar"),
    "sqlite": sqlite.dialect(paramstyle="named"),
}
PREPARED = "tradeboard_prepared"
# The statement is unknown, as after DEALLOCATE, or its tables have changed.
UNKNOWN_STATEMENT, THERE_ALREADY = b"26000", b"42P05"
TO_BE_PREPARED_ANEW = frozenset({UNKNOWN_STATEMENT, b"0A000"})
# What libpq calls done, and rows, and a failure; and where it says which.
DONE, ROWS, FAILED, SQLSTATE = 1, 2, 7, ord("C")


class Many(TypeDecorator[list[str]]):
    """A list of texts as one parameter: an array, or JSON on SQLite."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect):
        """Choose the type of the database."""
        kind = String() if dialect.name == "sqlite" else ARRAY(String())
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value, dialect):
        """Turn the list into what the database takes."""
        return _as_json(value) if dialect.name == "sqlite" else value


class Among(ColumnElement[bool]):
    """Asks whether a column is one of those in a parameter, however many they are."""

    inherit_cache = False

    def __init__(self, column: ColumnElement[str], name: str):
        many = bindparam(name, type_=Many)
        one = func.json_each(many).table_valued("value")
        self.on_sqlite = column.in_(select(one.c.value))
        self.on_postgresql = column == func.any(many)


@compiles(Among)
def _among(element, compiler, **words):
    on_sqlite = compiler.dialect.name == "sqlite"
    asked = element.on_sqlite if on_sqlite else element.on_postgresql
    return compiler.process(asked, **words)


@dataclass(frozen=True)
class Compiled:
    """A statement in the SQL of one database, and how its values are written."""

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, Any]
    readers: tuple[Callable[[Any], Any], ...]
    name: bytes  # Made of the text: nowhere does it stand for another statement.


@lru_cache(maxsize=256)
def compiled(statement: Select, dialect: str) -> Compiled:
    """Compile a statement; the same object is compiled once."""
    made = statement.compile(dialect=DIALECTS[dialect])
    return Compiled(
        text=str(made),
        names=tuple(made.positiontup or made.params),
        fixed=made.params,
        readers=tuple(_reader(c.type, dialect) for c in statement.selected_columns),
        name=f"tradeboard_{sha256(str(made).encode()).hexdigest()[:32]}".encode(),
    )


def _reader(kind: Any, dialect: str) -> Callable[[Any], Any]:
    """Return what turns a value as it comes into what it means."""
    on_sqlite = dialect == "sqlite"
    if isinstance(kind, Boolean):
        return bool if on_sqlite else b"t".__eq__
    if isinstance(kind, Integer):
        return int
    if isinstance(kind, UtcDateTime):
        return datetime.fromisoformat if on_sqlite else _moment
    if isinstance(kind, Enum) and kind.enum_class is not None:
        states = {state.value: state for state in kind.enum_class}
        known = states if on_sqlite else {v.encode(): s for v, s in states.items()}
        return known.__getitem__
    if isinstance(kind, String | Enum):
        return str if on_sqlite else bytes.decode
    raise TypeError(f"no reader for {kind!r}")


def _moment(shown: bytes) -> datetime:
    return datetime.fromisoformat(shown.decode())


def in_session(statement: Select, values: Mapping[str, Any]) -> Rows:
    """Ask within the session's transaction, and see what it has changed."""
    return db.session.connection().execute(statement, dict(values)).all()


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
        raise DBAPIError.instance(
            "a statement that stands alone",
            None,
            error,
            dialect.dbapi.Error,
            hide_parameters=True,
            dialect=dialect,
        ) from error


@contextmanager
def told(engine: Engine, pooled: Any, text: str) -> Iterator[None]:
    """Tell who counts or times statements of the one in the block."""
    seen: Any = (pooled, None, text.strip(), None, None, False)
    for listener in engine.dispatch.before_cursor_execute:
        listener(*seen)
    yield
    for listener in engine.dispatch.after_cursor_execute:
        listener(*seen)


def run(
    engine: Engine, pooled: Any, statement: Select, values: Mapping[str, Any]
) -> Rows:
    """Run one statement on a lent connection and commit what it changes."""
    known = compiled(statement, engine.dialect.name)
    given = {**known.fixed, **values}
    with told(engine, pooled, known.text):
        if engine.dialect.name == "sqlite":
            named = {name: for_sqlite(given[name]) for name in known.names}
            found = pooled.dbapi_connection.execute(known.text, named)
            return [_read(row, known) for row in found]
        texts = [_for_postgresql(given[name]) for name in known.names]
        result = _on_postgresql(engine, pooled, known, texts)
    get, across = result.get_value, range(result.nfields)
    return [
        _read([get(at, column) for column in across], known)
        for at in range(result.ntuples)
    ]


def _read(row: Sequence[Any], known: Compiled) -> list[Any]:
    return [
        None if value is None else read(value)
        for read, value in zip(known.readers, row, strict=True)
    ]


def _on_postgresql(engine: Engine, pooled: Any, known: Compiled, texts: list) -> Any:
    """Ask by the driver's own calls; what is unknown there is prepared first."""
    dialect: Any = engine.dialect
    driver, prepared = pooled.dbapi_connection, pooled.info.setdefault(PREPARED, set())
    for is_last in (False, True):
        if known.name not in prepared:
            made = driver.pgconn.prepare(known.name, known.text.encode())
            if made.error_field(SQLSTATE) != THERE_ALREADY:
                _require_good(dialect, made)
            prepared.add(known.name)
        result = driver.pgconn.exec_prepared(known.name, texts)
        state = result.error_field(SQLSTATE) if result.status == FAILED else None
        if is_last or state not in TO_BE_PREPARED_ANEW:
            break
        _forget(driver.pgconn, prepared, known.name, state)
    _require_good(dialect, result)
    return result


def _forget(connection: Any, prepared: set[bytes], name: bytes, state: bytes) -> None:
    """Drop what the server does not know any more, or plans for tables of before.

    The driver's own statements stay: it does not notice that they were dropped.
    """
    if state != UNKNOWN_STATEMENT:
        connection.exec_(b"DEALLOCATE " + name)
    prepared.discard(name)


def _require_good(dialect: Any, result: Any) -> None:
    """Raise what the driver would for all but an answer; "none" is one, too."""
    if result.status not in (DONE, ROWS):
        raise dialect.dbapi.errors.error_from_result(result)


def for_sqlite(value: Any) -> Any:
    """Return a value as SQLite keeps it."""
    if isinstance(value, datetime):
        return value.strftime(SQLITE_FORMAT)
    return _as_json(value) if isinstance(value, list) else value


def _as_json(texts: list[str]) -> str:
    return json.dumps([_whole(text) for text in texts])


def _for_postgresql(value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.isoformat().encode()
    if isinstance(value, list):
        value = "{" + ",".join(map(_quoted, value)) + "}"
    return _whole(str(value)).encode()


def _whole(text: str) -> str:
    """Refuse what would be cut short at NUL, and find what is called so."""
    if "\0" in text:
        raise ValueError("a text with NUL")
    return text


def _quoted(text: str) -> str:
    """Write a text as it stands in an array."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
