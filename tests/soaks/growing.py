"""Let a filled board grow: more rows like those that are there, with all below them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from tradeboard.core.db import db, writing

AT_ONCE = 400


class Growing:
    """Adds copies of rows through one connection, past services and triggers."""

    def __init__(self, connection: sa.Connection):
        self.connection = connection
        self.next: dict[str, int] = {}

    def rows(self, table: sa.Table, *where) -> list[dict]:
        """Return rows as they are kept."""
        found = self.connection.execute(table.select().where(*where)).mappings()
        return [dict(row) for row in found]

    def add(self, table: sa.Table, rows: list[dict]) -> None:
        """Insert rows as they are."""
        for begin in range(0, len(rows), AT_ONCE):
            self.connection.execute(table.insert(), rows[begin : begin + AT_ONCE])

    def grow(
        self,
        table: sa.Table,
        total: int,
        *where,
        below: Iterable[str] | None = None,
        change: Callable[[dict, int], dict] = lambda row, n: {},
    ) -> None:
        """Copy some rows in turn until there are so many like them.

        What refers to a row is copied with it, unless `below` names the only tables to
        do so. `change` gives values of the n-th copy.
        """
        models = self.rows(table, *where)
        assert models, f"no {table.name} to grow from"
        pairs = []
        for n in range(total - len(models)):
            model = models[n % len(models)]
            copy = self._copy(table, model, f"~{total}-{n}")
            pairs.append((model, copy | change(copy, n)))
        self.add(table, [copy for _, copy in pairs])
        self._grow_below(table, pairs, None if below is None else set(below))

    def _grow_below(self, table, pairs, below) -> None:
        """Copy what refers to the rows that were copied."""
        if "id" not in table.c or not pairs:
            return
        for child, column in _children(table):
            if below is not None and child.name not in below:
                continue
            models = defaultdict(list)
            of = {model["id"] for model, _ in pairs}
            for row in self.rows(child, column.in_(of)):
                models[row[column.name]].append(row)
            made = []
            for n, (model, parent) in enumerate(pairs):
                for row in models[model["id"]]:
                    copy = self._copy(child, row, f"~{parent['id']}-{n}", column.name)
                    made.append((row, copy | {column.name: parent["id"]}))
            self.add(child, [copy for _, copy in made])
            self._grow_below(child, made, below)

    def _copy(self, table, row, suffix, parent="") -> dict:
        """Return a copy with a number of its own and unique names of its own."""
        copy = dict(row)
        key = _number_of(table)
        if key is not None:
            copy[key.name] = self._number(table, key)
        for columns in _unique(table):
            names = [column.name for column in columns]
            if parent in names or key is not None and key.name in names:
                continue
            texts = [c for c in columns if _is_free_text(c) and row[c.name] is not None]
            if texts:
                copy[texts[0].name] = row[texts[0].name] + suffix
        return copy

    def _number(self, table, key) -> int:
        if table.name not in self.next:
            newest = self.connection.scalar(sa.select(sa.func.max(key)))
            self.next[table.name] = (newest or 0) + 1
        self.next[table.name] += 1
        return self.next[table.name] - 1


def _number_of(table):
    """Return the column that numbers the rows, if there is one."""
    keys = list(table.primary_key.columns)
    if len(keys) == 1 and isinstance(keys[0].type, sa.Integer):
        return None if keys[0].foreign_keys else keys[0]
    return None


def _unique(table):
    """Return the columns of each key."""
    yield list(table.primary_key.columns)
    for one in table.constraints:
        if isinstance(one, sa.UniqueConstraint):
            yield list(one.columns)
    for index in table.indexes:
        if index.unique:
            yield [column for column in index.columns if column.name in table.c]
    for column in table.columns:
        if column.unique:
            yield [column]


def _is_free_text(column) -> bool:
    is_text = isinstance(column.type, sa.String) and not isinstance(
        column.type, sa.Enum
    )
    return is_text and not column.foreign_keys


def _children(table):
    """Return what refers to the rows of a table as a part of them, parents first."""
    for child in db.metadata.sorted_tables:
        for column in child.columns:
            if any(key.column is table.c.id for key in column.foreign_keys):
                yield child, column
                break


def copy_all(source: sa.Engine, target: sa.Engine) -> int:
    """Put every row of one board in the place of what another has; return how many."""
    number = 0
    with source.connect() as old, unchecked(target) as new:
        for table in reversed(db.metadata.sorted_tables):
            new.execute(table.delete())
        for table in db.metadata.sorted_tables:
            rows = [dict(row) for row in old.execute(table.select()).mappings()]
            Growing(new).add(table, rows)
            number += len(rows)
    return number


@contextmanager
def unchecked(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Write on one connection that asks neither keys nor triggers."""
    token = writing.set(True)
    connection = engine.connect()
    try:
        if engine.dialect.name == "postgresql":
            role = "SET LOCAL session_replication_role = replica"
            connection.execute(sa.text(role))
        else:
            raw = connection.connection.dbapi_connection
            assert raw is not None
            raw.execute("PRAGMA query_only = OFF")
            raw.execute("PRAGMA foreign_keys = OFF")
        yield connection
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text(NUMBERS))
        connection.commit()
    finally:
        # This connection checks nothing: nobody may have it after us.
        connection.invalidate()
        connection.close()
        writing.reset(token)


# After rows came with their numbers, the next number is one that nobody has.
NUMBERS = """
DO $$ DECLARE row record; newest bigint; BEGIN
FOR row IN
    SELECT table_name, column_name,
           pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
    FROM information_schema.columns WHERE table_schema = 'public'
LOOP
    IF row.sequence IS NOT NULL THEN
        EXECUTE format('SELECT max(%I) FROM %I', row.column_name, row.table_name)
            INTO newest;
        PERFORM setval(row.sequence, coalesce(newest, 0) + 1, false);
    END IF;
END LOOP; END $$
"""
