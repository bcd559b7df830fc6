"""The database: session, base model, column types, and how a transaction begins.

Reading transactions cannot write, on either database: only `core.transaction` sets
`writing`, and what begins without it is read-only. A page that may read from a
replica sets `from_replica`; who is signed in, tokens and keys are read from the primary
all the same.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, cast

from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    DateTime,
    Engine,
    Enum,
    Executable,
    Index,
    MetaData,
    String,
    TypeDecorator,
    event,
    or_,
    text,
)
from sqlalchemy import inspect as sa_inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import DeclarativeBase, registry
from sqlalchemy.orm.util import identity_key

from tradeboard.core.engines import SET_LIMITS

PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "busy_timeout = 10000",
    "trusted_schema = OFF",
)

NAMES = {  # so that a migration can name what it drops
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "pk": "pk_%(table_name)s",
}

# Both dialects know ON CONFLICT, though not as one type.
INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}

SQLITE_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"

writing: ContextVar[bool] = ContextVar("writing", default=False)
# The connection of the transaction that is written in: asking for it takes a while.
writing_on: ContextVar[Connection | None] = ContextVar("writing_on", default=None)
from_replica: ContextVar[bool] = ContextVar("from_replica", default=False)

REPLICA = "replica"
# Never from a replica, whatever the page: an old answer would let somebody in.
ON_PRIMARY = frozenset(
    {
        "api_key",
        "audit_head",
        "audit_row",
        "mailed_token",
        "outbox_mail",
        "recovery_code",
        "session",
        "totp",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC, on every database; a naive one is refused.

    PostgreSQL keeps it as timestamptz, SQLite as text of fixed width, which sorts
    like the moments themselves.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect):
        """Choose the column type of the database."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(String(27))
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value, dialect):
        """Turn an aware datetime into what the database keeps."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("naive datetime")
        value = value.astimezone(UTC)
        return value.strftime(SQLITE_FORMAT) if dialect.name == "sqlite" else value

    def process_result_value(self, value, dialect):
        """Turn what the database kept into an aware datetime in UTC."""
        if value is None:
            return None
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        return value.astimezone(UTC)


STATES_AS_TEXT = Enum(
    StrEnum,
    values_callable=lambda states: [state.value for state in states],
    native_enum=False,
    length=32,
)


class Base(DeclarativeBase):
    """Base of every model."""

    metadata = MetaData(naming_convention=NAMES)
    registry = registry(
        metadata=metadata,
        type_annotation_map={datetime: UtcDateTime, StrEnum: STATES_AS_TEXT},
    )


class Routed(Session):
    """A session that reads from the replica where the page says that it may."""

    def get_bind(self, mapper=None, clause=None, bind=None, **kwargs):
        """Choose the engine."""
        if bind is None and from_replica.get() and not writing.get():
            table = sa_inspect(mapper).local_table if mapper is not None else None
            if table is None or table.name not in ON_PRIMARY:
                return db.engines[REPLICA]
        return super().get_bind(mapper=mapper, clause=clause, bind=bind, **kwargs)


db = SQLAlchemy(model_class=Base, session_options={"class_": Routed})


def partial_index(name: str, *columns, where: str, unique: bool = False) -> Index:
    """Index only the rows that a query asks for; `where` is SQL for both databases."""
    condition = text(where)
    return Index(
        name,
        *columns,
        unique=unique,
        sqlite_where=condition,
        postgresql_where=condition,
    )


@event.listens_for(Engine, "connect")
def set_up_sqlite(connection, _):
    """Leave the transactions to us, and make each of them last."""
    if isinstance(connection, sqlite3.Connection):
        connection.isolation_level = None  # The driver would begin too late.
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")


@event.listens_for(Engine, "begin")
def begin(connection):
    """Queue a writer up before it reads; let a reader write nothing.

    On SQLite two people must not decide on the same rows, hence IMMEDIATE.
    """
    writes = writing.get()
    # Past SQLAlchemy, which would spend more on these statements than the database.
    driver = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        try:
            driver.execute(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
            driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
        except sqlite3.OperationalError as error:
            raise OperationalError("BEGIN", None, error) from error
    else:
        driver.read_only = not writes  # Goes into psycopg's BEGIN.
        if driver.prepare_threshold is None:  # Behind a pooler.
            connection.exec_driver_sql(SET_LIMITS)


@contextmanager
def apart() -> Iterator[Connection]:
    """Lend a connection that reads what is committed, whatever the session is doing.

    What fails on it does the session's transaction no harm.
    """
    token = writing.set(False)
    try:
        with db.engine.connect() as line:
            yield line
    finally:
        writing.reset(token)


def one_of(column: Any, values: Iterable[Any]) -> ColumnElement[bool]:
    """Ask whether a column holds one of some values, in a text that never changes.

    What `in_` makes is put together anew each time, and cannot be prepared as it is.
    """
    return or_(*(column == value for value in sorted(values)))


def id_of(row: Any) -> int:
    """Return the number of a row without reading it anew; what is none says it."""
    state = getattr(row, "_sa_instance_state", None)
    return row.id if state is None or state.identity is None else state.identity[0]


def changed(statement: Executable) -> int:
    """Run a bulk change past the loaded rows; return how many rows it met."""
    options = {"synchronize_session": False}
    result = db.session.execute(statement, execution_options=options)
    return cast(CursorResult[Any], result).rowcount


def connection() -> Connection:
    """Return the session's connection, for statements past the unit of work.

    What waits in the session is written first.
    """
    db.session().flush()
    return unflushed_connection()


def unflushed_connection() -> Connection:
    """Return the session's connection; what waits in the session goes later."""
    line = writing_on.get()
    return db.session().connection() if line is None or line.closed else line


def read_anew(model: type[Base], id: int) -> None:
    """Let a loaded row be read again that was changed past the session."""
    session = db.session()
    loaded = session.identity_map.get(identity_key(model, id))
    if loaded is not None:
        session.expire(loaded)
