"""Take a copy of a SQLite database while it is written to, and put one in its place."""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from tradeboard.keeping import reading
from tradeboard.keeping.manifest import Facts, Unusable
from tradeboard.keeping.pictures import Picture, named

FILE = "database.sqlite3"
BESIDE = ("-wal", "-shm")


def url_of(path: Path) -> str:
    """Return the address of a file."""
    return f"sqlite:///{path}"


def take(database: Path, folder: Path) -> tuple[str, Facts, set[Picture]]:
    """Copy the database as it is at this moment, and check the copy.

    A copy of the files would be of no use: what is in the log beside them may belong to
    another moment.
    """
    target = folder / FILE
    with contextlib.closing(sqlite3.connect(database, timeout=60)) as source:
        source.isolation_level = None
        source.execute("VACUUM INTO ?", [str(target)])
    target.chmod(0o600)
    with reader(target) as connection:
        check(connection)
        facts, pictures = reading.facts(connection), named(connection)
    fold(target)
    return FILE, facts, pictures


def check(connection: Connection) -> None:
    """Raise Unusable unless the file is whole and no row misses another."""
    wrong = connection.scalar(text("PRAGMA integrity_check(1)"))
    if wrong != "ok":
        raise Unusable(f"The copy is not whole: {wrong}")
    orphan = connection.execute(text("PRAGMA foreign_key_check")).first()
    if orphan is not None:
        raise Unusable(f"A row of {orphan[0]} misses its row of {orphan[2]}.")


@contextlib.contextmanager
def reader(path: Path) -> Iterator[Connection]:
    """Read a file by a connection that ends with the block."""
    engine = create_engine(url_of(path), poolclass=NullPool, hide_parameters=True)
    with engine.connect() as connection:
        yield connection


def fold(path: Path) -> None:
    """Write back what lies beside a file that nobody else uses."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def put(source: Path, target: Path, now: datetime) -> Path | None:
    """Put a copy of a database in the place of another; return where that one is now.

    The copy is checked first. The place always holds one of the two, whole: the old one
    gets a second name, then the new one takes its first.
    """
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.restoring")
    shutil.copyfile(source, part)
    part.chmod(0o600)
    with reader(part) as connection:
        check(connection)
    fold(part)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    before = _keep(target, now) if target.exists() else None
    # A log that is left from another database would be written into this one.
    for suffix in BESIDE:
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    part.replace(target)
    sync_folder(target.parent)
    return before


def _keep(target: Path, now: datetime) -> Path:
    """Give the database that was there a second name, with all that it holds."""
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    before = target.with_name(f"{target.name}.before-{stamp}")
    try:
        fold(target)
    except sqlite3.DatabaseError:  # Broken; whoever looks into it needs all its files.
        for suffix in BESIDE:
            log = target.with_name(target.name + suffix)
            if log.exists():
                os.link(log, before.with_name(before.name + suffix))
    os.link(target, before)
    return before


def sync_folder(folder: Path) -> None:
    """Let the names in a folder outlive a power cut."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
