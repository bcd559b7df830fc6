"""Build a world once for each size and database, and lend copies of it."""

import hashlib
import json
import logging
import time
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from flask import Flask
from flask_migrate import upgrade
from sqlalchemy import Connection, Index
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from bench import board, listed, people, trading
from bench.bulk import Bulk
from bench.databases import LOADING, Database, folder
from bench.people import Keys
from bench.world import GENERATION, World
from tradeboard.accounts.models import Account, Device, DeviceUse, Handle
from tradeboard.app import create_app
from tradeboard.core import clock, keyfile, keyring
from tradeboard.core.db import db, writing
from tradeboard.terms.models import Agreement

SECRET = "a secret of the measurements that is long enough"
TABLES = db.metadata.tables
PEOPLE = tuple(
    TABLES[model.__tablename__]
    for model in (Account, Handle, Agreement, Device, DeviceUse)
)
FILLED = (*PEOPLE, *board.FILLED, *trading.FILLED, *listed.FILLED)
SCRATCH = (board.scratch, trading.scratch)
# What a crash would lose is built anew.
FAST_SQLITE = ("synchronous = OFF", "foreign_keys = OFF", "cache_size = -700000")


def settings(url: str) -> dict[str, str]:
    """Return the settings under which a copy of a world is served."""
    ring = folder() / "keyring.json"
    keyfile.write_if_missing(ring)
    return {
        "SECRET_KEY": SECRET,
        "DATABASE_URL": url,
        "KEYRING": str(ring),
        "UPLOADS": str(folder() / "uploads"),
        "AUDIT_ANCHORS": str(folder() / "audit-anchors.jsonl"),
        "LOG_LEVEL": "ERROR",
    }


@contextmanager
def application(url: str):
    """Open the board on a database, in this process."""
    before = keyring._Holder.ring
    given = settings(url)
    # To build a world is slow, and the log need not say so.
    app = create_app(TESTING=True, SLOW_QUERY_MS=0, **given)
    keyring.use_file(Path(given["KEYRING"]))
    try:
        with app.app_context():
            yield app
            db.session.remove()
            db.engine.dispose()
    finally:
        keyring.use(before)


@contextmanager
def written(app: Flask):
    """Write in bulk on one connection of the board's own engine."""
    token = writing.set(True)
    try:
        with app.app_context(), db.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(LOADING)
            yield connection
            connection.commit()
    finally:
        writing.reset(token)


def ensure(databases: Database, size: int) -> World:
    """Return the world of a size, built now unless an earlier one is still good."""
    name = world_name(size)
    note = folder() / f"{databases.kind}-{size}.json"
    known, wanted = _read(note), {"generation": GENERATION, **schema()}
    is_good = databases.exists(name) and all(
        known.get(part) == wanted[part] for part in ("generation", "tables")
    )
    if is_good:
        _renew_indexes(databases.url(name), known["indexes"], wanted["indexes"])
        note.write_text(json.dumps({**known, **wanted}))
        return World(size, datetime.fromisoformat(known["at"]))
    note.unlink(missing_ok=True)
    databases.make(name)
    world = World(size, clock.now().replace(microsecond=0))
    began = time.perf_counter()
    with application(databases.url(name)) as app:
        build(app, world)
    seconds = round(time.perf_counter() - began, 1)
    made = {"at": world.at.isoformat(), "seconds": seconds, **wanted}
    note.write_text(json.dumps(made))
    return world


def schema() -> dict[str, Any]:
    """Return what a world is built for: its tables, and each index in words."""
    dialect = postgresql.dialect()
    tables = [
        str(CreateTable(table).compile(dialect=dialect))
        for table in db.metadata.sorted_tables
    ]
    words = hashlib.sha256("".join(tables).encode()).hexdigest()[:16]
    indexes = {
        name: str(CreateIndex(index).compile(dialect=dialect))
        for name, index in _indexes().items()
    }
    return {"tables": words, "indexes": indexes}


def _indexes() -> dict[str, Index]:
    return {
        str(index.name): index
        for table in db.metadata.sorted_tables
        for index in table.indexes
    }


def _renew_indexes(url: str, old: dict[str, str], new: dict[str, str]) -> None:
    """Bring the indexes of a world up to date; its rows stay."""
    changed = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    if not changed:
        return
    with application(url) as app, written(app) as connection:
        for name in sorted(changed):
            connection.exec_driver_sql(f'DROP INDEX IF EXISTS "{name}"')
            if name in new:
                _indexes()[name].create(connection)
        connection.exec_driver_sql("ANALYZE")


def world_name(size: int) -> str:
    """Name the database that a world is kept in."""
    return f"world_{size}"


def build(app: Flask, world: World) -> None:
    """Migrate an empty database and fill it."""
    logging.getLogger("alembic").setLevel(logging.WARNING)
    with app.app_context():
        upgrade()
        is_file = db.engine.dialect.name == "sqlite"
        db.engine.dispose()
    with written(app) as connection:
        if is_file:
            # A transaction of its own would keep the pragmas from working.
            connection.exec_driver_sql("COMMIT")
            for pragma in FAST_SQLITE:
                connection.exec_driver_sql(f"PRAGMA {pragma}")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        fill(connection, world)
    with written(app) as connection:
        connection.exec_driver_sql("COMMIT")
        if not is_file:
            _outside(connection, "VACUUM ANALYZE")
        else:
            connection.exec_driver_sql("ANALYZE")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def fill(connection: Connection, world: World) -> None:
    """Write every row of a world in one transaction."""
    bulk, keys = Bulk(connection), Keys()
    with bulk.without_indexes(FILLED):
        board.prepare(bulk, world)
        people.fill(bulk, world, board.numbers)
        board.fill(bulk, world)
        trading.scratch.create_all(connection)
        trading.draft(bulk, world)
        listed.draft_trades(bulk, world)
        trading.write(bulk, keys)
        listed.fill(bulk, world, keys)
        for tables in SCRATCH:
            tables.drop_all(connection)
    bulk.settle(FILLED)


def _outside(connection: Connection, statement: str) -> None:
    """Run what PostgreSQL refuses inside of a transaction."""
    driver = connection.connection.dbapi_connection
    assert driver is not None
    driver.rollback()
    driver.autocommit = True
    driver.execute(statement)
    driver.autocommit = False


def _read(note: Path) -> dict:
    try:
        return json.loads(note.read_text())
    except (OSError, ValueError):
        return {}
