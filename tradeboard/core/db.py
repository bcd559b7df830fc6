"""The database: session, base model, column types, and how a transaction begins.

Reading transactions cannot write, on either database: only `core.transaction` sets
`writing`, and what begins without it is read-only.
"""

import sqlite3
from contextvars import ContextVar
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, cast

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
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
    text,
)
from sqlalchemy.orm import DeclarativeBase, registry

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

SQLITE_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"

writing: ContextVar[bool] = ContextVar("writing", default=False)


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


db = SQLAlchemy(model_class=Base)


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
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
    elif not writes:
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")


def changed(statement: Executable) -> int:
    """Run a bulk change past the loaded rows; return how many rows it met."""
    options = {"synchronize_session": False}
    result = db.session.execute(statement, execution_options=options)
    return cast(CursorResult[Any], result).rowcount


def engine_options(url: str) -> dict:
    """Return pool and time-outs for a database URL; every wait has a limit.

    What a statement was about stays out of its error, and so out of the log.
    """
    if url.startswith("sqlite"):
        return {
            "hide_parameters": True,
            "connect_args": {"check_same_thread": False},
        }
    limits = (
        "-c statement_timeout=5000 -c lock_timeout=3000 "
        "-c idle_in_transaction_session_timeout=15000 -c timezone=UTC"
    )
    return {
        "hide_parameters": True,
        "pool_pre_ping": True,
        "pool_size": 5,
        "max_overflow": 5,
        "pool_timeout": 5,
        "connect_args": {"options": limits, "connect_timeout": 5},
    }
