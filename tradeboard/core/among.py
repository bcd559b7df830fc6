"""Ask for those of a list, however long it is, in a text that never changes."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    ARRAY,
    JSON,
    Column,
    String,
    TableValuedAlias,
    TypeDecorator,
    bindparam,
    func,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import ColumnElement

from tradeboard.core import wire


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
        return wire.as_json(value) if dialect.name == "sqlite" else value


def rows_given(name: str, kinds: Mapping[str, Any]) -> TableValuedAlias:
    """Return rows that a parameter gives as JSON, however many; on PostgreSQL alone."""
    columns = (Column(column, kind) for column, kind in kinds.items())
    given = func.json_to_recordset(bindparam(name, type_=JSON))
    return given.table_valued(*columns).render_derived(with_types=True)


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
