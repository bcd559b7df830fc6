"""Write very many rows at once, past the ORM: as COPY, or inside the database."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Date,
    FromClause,
    String,
    Table,
    cast,
    func,
    insert,
    literal,
    select,
    text,
)

AT_ONCE = 20_000

DROPPABLE = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' "
    "AND sql IS NOT NULL AND tbl_name = :table",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = "
    "'public' AND tablename = :table AND indexname NOT IN (SELECT conname FROM "
    "pg_constraint WHERE contype IN ('p', 'u'))",
}
CONSTRAINTS = (
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), contype "
    "FROM pg_constraint WHERE contype IN ('f', 'p', 'u') AND conrelid IN "
    "(SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) "
    "ORDER BY contype = 'f', conname"
)


class Bulk:
    """Fills tables on one connection; every column of the model must be spoken for."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self.kind = connection.dialect.name

    def rows(self, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows that Python makes; what they leave out is the column's default."""
        rest = iter(rows)
        first = next(rest, None)
        if first is None:
            return
        columns = [table.c[name] for name in first]
        columns += self._left_out(table, first)
        values = self._values(columns, first, rest)
        if self.kind == "postgresql":
            self._copy(table, columns, values)
        else:
            self._insert(table, columns, values)

    def select(
        self, table: Table, columns: Mapping[str, Any], source: FromClause, *where: Any
    ) -> None:
        """Write rows that the database makes from others."""
        given = {name: _sql(table.c[name], value) for name, value in columns.items()}
        for column in self._left_out(table, given):
            given[column.name] = _sql(column, _default(column))
        made = select(*given.values()).select_from(source).where(*where)
        self.connection.execute(insert(table).from_select(list(given), made))

    def moment(self, seconds):
        """Return a number of seconds since 1970 as the database keeps a moment."""
        if self.kind == "postgresql":
            return func.to_timestamp(seconds)
        return func.strftime("%Y-%m-%dT%H:%M:%S.000000Z", seconds, "unixepoch")

    def day(self, seconds):
        """Return the day in Japan as the database keeps it."""
        if self.kind == "postgresql":
            return cast(func.timezone("Asia/Tokyo", func.to_timestamp(seconds)), Date)
        return func.date(seconds + 9 * 3600, "unixepoch")

    def json(self, written):
        """Return a text that the database puts together as a column of JSON."""
        return cast(written, JSON) if self.kind == "postgresql" else written

    def _left_out(self, table: Table, given: Iterable[str]) -> list[Column]:
        known = set(given)
        return [
            column
            for column in table.columns
            if column.name not in known and not _by_itself(column)
        ]

    def _values(self, columns, first, rest) -> Iterator[tuple]:
        dialect = self.connection.dialect
        shapes = [
            (c.name, c.type.dialect_impl(dialect).bind_processor(dialect), _default(c))
            for c in columns
        ]

        def values(row: Mapping[str, Any]) -> tuple:
            return tuple(
                [
                    shape(row.get(name, default)) if shape else row.get(name, default)
                    for name, shape, default in shapes
                ]
            )

        yield values(first)
        yield from map(values, rest)

    def _copy(self, table: Table, columns, values: Iterable[tuple]) -> None:
        driver: Any = self.connection.connection.dbapi_connection
        quote = self.connection.dialect.identifier_preparer.quote
        names = ", ".join(quote(column.name) for column in columns)
        command = f"COPY {quote(table.name)} ({names}) FROM STDIN"
        with driver.cursor() as cursor, cursor.copy(command) as copy:
            for row in values:
                copy.write_row(row)

    def _insert(self, table: Table, columns, values: Iterator[tuple]) -> None:
        driver: Any = self.connection.connection.dbapi_connection
        quote = self.connection.dialect.identifier_preparer.quote
        names = ", ".join(quote(column.name) for column in columns)
        gaps = ", ".join("?" * len(columns))
        command = f"INSERT INTO {quote(table.name)} ({names}) VALUES ({gaps})"
        while some := list(islice(values, AT_ONCE)):
            driver.executemany(command, some)

    @contextmanager
    def without_indexes(self, tables: Iterable[Table]):
        """Build indexes and constraints only when the rows are there."""
        constraints = self._drop_constraints()
        indexes = [row for table in tables for row in self._drop_indexes(table)]
        yield
        for definition in indexes:
            self._do(definition)
        for owner, name, definition in constraints:
            self._do(f'ALTER TABLE {owner} ADD CONSTRAINT "{name}" {definition}')

    def _drop_constraints(self) -> list[tuple[str, str, str]]:
        if self.kind == "sqlite":
            return []
        found = self.connection.execute(text(CONSTRAINTS)).all()
        for owner, name, _, _ in reversed(found):
            self._do(f'ALTER TABLE {owner} DROP CONSTRAINT "{name}"')
        return [(owner, name, definition) for owner, name, definition, _ in found]

    def _drop_indexes(self, table: Table) -> list[str]:
        found = self.connection.execute(
            text(DROPPABLE[self.kind]), {"table": table.name}
        ).all()
        for name, _ in found:
            self._do(f'DROP INDEX "{name}"')
        return [definition for _, definition in found]

    def _do(self, statement: str) -> None:
        self.connection.exec_driver_sql(statement)

    def settle(self, tables: Iterable[Table]) -> None:
        """Let numbers go on after the last row, which nobody took from a sequence."""
        if self.kind == "sqlite":
            return
        for table in tables:
            key = list(table.primary_key.columns)[0]
            owned = func.pg_get_serial_sequence(table.name, key.name)
            if self.connection.scalar(select(owned)):
                last = select(func.coalesce(func.max(key), 1)).scalar_subquery()
                self.connection.execute(select(func.setval(owned, last)))


def _by_itself(column: Column) -> bool:
    """Tell whether the database or nothing at all fills a column."""
    is_number = column.primary_key and column.autoincrement is not False
    lone = is_number and len(column.table.primary_key.columns) == 1
    has_default = column.default is not None or not column.nullable
    return bool((lone and column.type.python_type is int) or not has_default)


def _default(column: Column) -> Any:
    if column.default is not None and column.default.is_scalar:
        return column.default.arg  # type: ignore[attr-defined]  # scalars have one
    if column.default is not None and column.type.python_type in (dict, list):
        return column.type.python_type()
    return 1 if column.name == "version" else None


def _sql(column: Column, value: Any):
    if hasattr(value, "compile"):
        return value
    found = literal(value, column.type)
    return cast(found, column.type) if isinstance(column.type, String) else found
