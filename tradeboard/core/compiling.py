"""Statements of SQLAlchemy Core in the SQL of one database, put together once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import JSON, Insert, Select, Update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.expression import Delete

from tradeboard.core import wire

Statement = Select | Insert | Update | Delete

DIALECTS: dict[str, Any] = {
    "postgresql": postgresql.psycopg.dialect(paramstyle="numeric_dollar"),
    "sqlite": sqlite.dialect(paramstyle="named"),
}


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


def for_postgresql(
    statement: Statement, values: Mapping[str, Any]
) -> tuple[Compiled, list]:
    """Return a statement as PostgreSQL knows it, and what goes with it."""
    names = None if isinstance(statement, Select) else frozenset(values)
    known = compiled(statement, "postgresql", names)
    given = {**known.fixed, **values}
    return known, [write(given[name]) for name, write in known.writers]
