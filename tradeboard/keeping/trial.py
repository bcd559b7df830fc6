"""Restore the newest backup on trial, look at what came out, and throw that away."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sqlalchemy import URL

from tradeboard.core.db import db
from tradeboard.core.instance_lock import InUse, alone_with
from tradeboard.core.photo_store import FolderStore
from tradeboard.keeping import backup, doctor, postgres, restore, sqlite
from tradeboard.keeping.manifest import Manifest

LOCK = ".trial.lock"
PREFIX = ".trial-"


class NotProven(RuntimeError):
    """The newest backup does not restore as it should, or could not be tried."""


def newest(folder: Path) -> Path:
    """Return the newest backup in a folder, or raise NotProven."""
    for _, path in backup.all_in(folder):
        return path
    raise NotProven("There is no backup to try.")


def prove(
    folder: Path, path: Path, *, identity: Path | None, now: datetime
) -> Manifest:
    """Restore a backup into a database of its own, and compare; or raise NotProven."""
    try:
        with alone_with(folder / LOCK), _somewhere(folder) as (url, uploads):
            store = FolderStore(uploads)
            found = restore.restore(
                path, url, store=store, identity=identity, now=now, link=True
            ).manifest
            report = doctor.examine(
                url,
                now,
                anchors_until=found.facts.audit_seq,
                UPLOADS=uploads,
                PHOTO_STORE="",
            )
    except InUse:
        raise NotProven("Another trial is running.") from None
    facts = report.facts
    lost = facts.get("photos_lost")
    for finding in report.findings:
        # What was gone already is told of the board itself, not of its backup.
        if finding.check != "photos" or lost != found.missing:
            raise NotProven(f"{finding.check}: {finding.text}")
    if facts["counts"] != found.facts.counts:
        raise NotProven("The restored tables have not as many rows as before.")
    if facts["audit_seq"] != found.facts.audit_seq:
        raise NotProven("The restored audit log does not end where it did.")
    return found


@contextlib.contextmanager
def _somewhere(folder: Path) -> Iterator[tuple[str, Path]]:
    """Make room for a database and its photos, and clear it away afterwards."""
    for left in folder.glob(f"{PREFIX}*"):  # Of a trial that was killed.
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(dir=folder, prefix=PREFIX) as room:
        uploads = Path(room) / "uploads"
        if db.engine.dialect.name == "sqlite":
            yield sqlite.url_of(Path(room) / "tradeboard.sqlite3"), uploads
        else:
            with _database(db.engine.url) as url:
                yield url.render_as_string(hide_password=False), uploads


@contextlib.contextmanager
def _database(url: URL) -> Iterator[URL]:
    if not postgres.may_create(url):
        raise NotProven(
            f"The role {url.username} may not create databases to try a backup in: "
            "ALTER ROLE … CREATEDB, or try it elsewhere by `restore --to`."
        )
    name = postgres.name_for(url, "trial")
    postgres.drop(url, name)  # Of a trial that was killed.
    postgres.create(url, name)
    try:
        yield url.set(database=name)
    finally:
        postgres.drop(url, name)
