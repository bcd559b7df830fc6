"""Backups by the clock: made each night, and restored on trial."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from flask import current_app

from tradeboard.core import photo_store
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.keeping import backup, queries, rules, trial
from tradeboard.keeping.manifest import Manifest
from tradeboard.keeping.models import BackupRun, Kind

log = logging.getLogger(__name__)

LONGEST_NOTE = 300


def back_up(now: datetime) -> int:
    """Make a backup, if none has been made since the night began."""
    folder = _folder()
    last = queries.last(Kind.BACKUP, ok=True)
    if folder is None or not rules.is_due(last.at if last else None, now):
        return 0
    make(folder, now=now)
    return 1


def prove_restore(now: datetime) -> int:
    """Restore the newest backup on trial, if that one has not been proven."""
    folder = _folder()
    if folder is None:
        return 0
    proven = queries.last(Kind.PROOF, ok=True)
    name = proven.name if proven else None
    path = next((path for _, path in backup.all_in(folder)), None)
    if path is None or path.name == name:
        return 0
    prove(folder, now=now)
    return 1


def make(folder: Path, *, now: datetime) -> tuple[Path, Manifest]:
    """Make a backup in a folder; the board's own backups are noted."""
    config = current_app.config
    db.session.rollback()
    with _noted(Kind.BACKUP, now, folder == _folder()) as done:
        path, made = backup.back_up(
            folder,
            source=photo_store.of(config),
            recipient=config["BACKUP_RECIPIENT"],
            now=now,
        )
        done |= {"name": path.name, "bytes": made.bytes}
    return path, made


def prove(folder: Path, *, now: datetime) -> Manifest:
    """Restore the newest backup of a folder on trial, and note how that went."""
    identity = current_app.config["BACKUP_IDENTITY"]
    db.session.rollback()
    with _noted(Kind.PROOF, now, folder == _folder()) as done:
        path = trial.newest(folder)
        done["name"] = path.name
        found = trial.prove(
            folder, path, identity=Path(identity) if identity else None, now=now
        )
        done["bytes"] = found.bytes
    return found


@contextmanager
def _noted(kind: Kind, now: datetime, is_noted: bool) -> Iterator[dict]:
    """Note what the block did, also if it fails; what it is about, it says itself."""
    began = time.monotonic()
    done = {"name": "", "bytes": 0, "ok": False, "note": ""}
    try:
        yield done
        done["ok"] = True
    except Exception as error:
        first = str(error).partition("\n")[0]
        done["note"] = f"{type(error).__name__}: {first}"[:LONGEST_NOTE]
        raise
    finally:
        seconds = round(time.monotonic() - began, 1)
        log.info("%s %s: %s", kind, done["name"], done["note"] or "ok")
        if is_noted:
            with transaction():
                row = BackupRun(kind=kind, at=now, seconds=seconds, **done)
                db.session.add(row)


def _folder() -> Path | None:
    folder = current_app.config["BACKUPS"]
    return Path(folder) if folder else None
