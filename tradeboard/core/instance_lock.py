"""Who uses the database of this machine: many that serve, or one that replaces it.

A lock on a file, which the system lets go of when its process ends, however it ends.
Every web worker and scheduler holds it shared; whoever puts another database in the
place of this one holds it alone.
"""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from flask import Flask
from sqlalchemy import make_url

try:
    import fcntl
except ImportError:  # Windows has none; there nothing is seen of other processes.
    fcntl = None  # type: ignore[assignment]  # the module or nothing

log = logging.getLogger(__name__)

NAME = "tradeboard.lock"

# Held until the process ends, by path; a worker asks once.
_held: dict[Path, int] = {}


class InUse(RuntimeError):
    """Somebody else holds the lock; the text says who is meant."""


def lock_file(app: Flask) -> Path:
    """Return the file: beside a SQLite database, else in the instance folder."""
    url = make_url(app.config["SQLALCHEMY_DATABASE_URI"])
    if url.get_backend_name() == "sqlite" and url.database:
        return Path(app.instance_path, url.database).with_name(NAME)
    return Path(app.instance_path) / NAME


def hold_shared(app: Flask) -> None:
    """Hold the lock with all others that serve, until this process ends.

    Raise InUse while the database is being replaced. A folder that cannot be written
    to holds no database either, so there is nothing to lock.
    """
    path = lock_file(app)
    if fcntl is None or path in _held:
        return
    try:
        file = _open(path)
    except OSError:
        log.info("no lock in a folder that is not ours: %s", path.parent)
        return
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise InUse("The database is being replaced: start again after that.") from None
    _held[path] = file


@contextlib.contextmanager
def alone(app: Flask) -> Iterator[None]:
    """Hold the lock alone for the block, or raise InUse at once."""
    with alone_with(lock_file(app)):
        yield


@contextlib.contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Hold the lock of some other place alone, or raise InUse at once."""
    if fcntl is None:
        yield
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = _open(path)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse(
                "The board is running: stop its web workers and schedulers first."
            ) from None
        yield
    finally:
        os.close(file)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
