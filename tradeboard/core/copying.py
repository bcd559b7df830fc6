"""Copy a whole database into another, empty one: all of it, or nothing."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    column,
    func,
    select,
    table,
    text,
)

from tradeboard.core.db import writing
from tradeboard.core.records import dataclass

AT_ONCE = 500

# What migrations put into a new database, by the column that says it is still new.
SEEDED = {"terms_version": "number", "audit_head": "seq", "feed_head": "seq"}
STILL_NEW = 1

NO_LIMITS = (
    "SELECT set_config('statement_timeout', '0', true), "
    "set_config('idle_in_transaction_session_timeout', '0', true)"
)
OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
GO_ON = text(
    "SELECT setval(pg_get_serial_sequence(:name, :column), :last) "
    "WHERE pg_get_serial_sequence(:name, :column) IS NOT NULL"
)


class Refused(RuntimeError):
    """Why nothing was copied."""


@dataclass
class Content:
    """How many rows a table has, and a sum over them in which no order matters."""

    rows: int = 0
    digest: int = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row; whatever database it came from, it says the same."""
        said = json.dumps(list(row.values()), sort_keys=True, default=str)
        hashed = hashlib.blake2b(said.encode(), digest_size=16).digest()
        self.rows += 1
        self.digest = (self.digest + int.from_bytes(hashed)) % 2**128


@contextmanager
def both(source: Engine, target: Engine) -> Iterator[tuple[Connection, Connection]]:
    """Begin on both; nobody writes to the source, and the target keeps all or nothing.

    SQLite's writers wait for us; on PostgreSQL there may be none.
    """
    still = {"isolation_level": "REPEATABLE READ"}
    is_file = source.dialect.name == "sqlite"
    token = writing.set(True)
    try:
        reading = source if is_file else source.execution_options(**still)
        with reading.begin() as here, target.begin() as there:
            for connection in (here, there):
                if connection.dialect.name == "postgresql":
                    connection.exec_driver_sql(NO_LIMITS)
            if not is_file and here.exec_driver_sql(OTHERS).scalar_one():
                raise Refused(
                    "Somebody else is connected to the source: stop it first."
                )
            yield here, there
    finally:
        writing.reset(token)


def copy(
    here: Connection, there: Connection, metadata: MetaData, revision: str
) -> dict[str, int]:
    """Copy every table, parents first; return how many rows each has.

    What was written is read again, and must say what the source says.
    """
    tables = metadata.sorted_tables
    for connection, name in ((here, "source"), (there, "target")):
        _require_revision(connection, name, revision)
    _lock(there, tables)
    _require_empty(there, tables)
    counted = {}
    for each in tables:
        written = _copy(each, here, there)
        if content(each, there) != written:
            raise Refused(f"{each.name} does not say there what it says here.")
        counted[each.name] = written.rows
    if _has_orphans(there):
        raise Refused("Some rows there name others that are not there.")
    return counted


def content(of: Table, connection: Connection) -> Content:
    """Read a whole table, some rows at a time."""
    found = Content()
    for batch in _batches(of, connection):
        for row in batch:
            found.add(row)
    return found


def _require_revision(connection: Connection, name: str, revision: str) -> None:
    versions = table("alembic_version", column("version_num"))
    has = connection.dialect.has_table(connection, "alembic_version")
    found = connection.scalar(select(versions.c.version_num)) if has else None
    if found != revision:
        raise Refused(
            f"The tables of the {name} are of revision {found}, this release needs "
            f"{revision}: run `db upgrade` with DATABASE_URL set to it."
        )


def _lock(there: Connection, tables: Sequence[Table]) -> None:
    """Keep everybody else from writing there; on SQLite the transaction does."""
    if there.dialect.name == "postgresql":
        quote = there.dialect.identifier_preparer.quote
        names = ", ".join(quote(each.name) for each in tables)
        there.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")


def _require_empty(there: Connection, tables: Sequence[Table]) -> None:
    """Refuse to mix two boards; take away what the migrations put there."""
    for each in tables:
        if each.name in SEEDED:
            newest = there.scalar(select(func.max(each.c[SEEDED[each.name]])))
            is_new = newest is None or newest <= STILL_NEW
        else:
            is_new = there.execute(select(each).limit(1)).first() is None
        if not is_new:
            raise Refused(f"The target is not empty: there are rows in {each.name}.")
    for each in tables:
        if each.name in SEEDED:
            there.execute(each.delete())


def _has_orphans(there: Connection) -> bool:
    """Look again on SQLite; PostgreSQL takes no row without its parent."""
    if there.dialect.name != "sqlite":
        return False
    return there.exec_driver_sql("PRAGMA foreign_key_check").first() is not None


def _copy(each: Table, here: Connection, there: Connection) -> Content:
    written = Content()
    for batch in _batches(each, here):
        there.execute(each.insert(), batch)
        for row in batch:
            written.add(row)
    if there.dialect.name == "postgresql":
        _go_on_counting(each, there)
    return written


def _batches(of: Table, connection: Connection) -> Iterable[list[dict[str, Any]]]:
    asked = select(of).execution_options(yield_per=AT_ONCE)
    with connection.execute(asked) as found:
        for some in found.mappings().partitions():
            yield [dict(row) for row in some]


def _go_on_counting(each: Table, there: Connection) -> None:
    """Let the next row get a number that none has had."""
    for key in each.primary_key.columns:
        if isinstance(key.type, Integer) and not key.foreign_keys:
            last = there.scalar(select(func.max(key)))
            if last is not None and last > 0:
                named = {"name": each.name, "column": key.name, "last": last}
                there.execute(GO_ON, named)
