"""Make a backup: a folder that is there as a whole, or not at all.

Photos are taken in before the database and again after it: a row of the copy then never
names a file that the backup lacks, though both change meanwhile.
"""

import logging
import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from importlib import metadata
from pathlib import Path

from sqlalchemy import Engine

from tradeboard.core import heartbeat
from tradeboard.core.db import db
from tradeboard.core.instance_lock import InUse, alone_with
from tradeboard.core.photo_store import Store as Source
from tradeboard.keeping import age, manifest, pictures, postgres, rules, sqlite
from tradeboard.keeping.manifest import FILES, Facts, Manifest, Unusable
from tradeboard.keeping.pictures import Picture, Store

log = logging.getLogger(__name__)

PART = ".part-"
LOCK = ".lock"


class Busy(RuntimeError):
    """Another backup is being made."""


def back_up(
    folder: Path, *, source: Source, recipient: str | None, now: datetime
) -> tuple[Path, Manifest]:
    """Make a backup below a folder, and remove those whose time is over."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with alone_with(folder / LOCK):
            for left in folder.glob(f"{PART}*"):  # Of one that was killed.
                shutil.rmtree(left)
            name = rules.name_of(now)
            if (folder / name).exists():
                raise Busy("There is a backup of this second already.")
            made = _make(folder, name, source, recipient, now)
            _rotate(folder)
    except InUse:
        raise Busy("Another backup is being made.") from None
    return folder / name, made


def all_in(folder: Path) -> Iterator[tuple[datetime, Path]]:
    """Return the whole backups in a folder, the newest first."""
    names = sorted((path.name for path in folder.glob("*")), reverse=True)
    for name in names:
        moment = rules.moment_of(name)
        if moment is not None and (folder / name / manifest.NAME).is_file():
            yield moment, folder / name


def _make(
    folder: Path, name: str, source: Source, recipient: str | None, now: datetime
) -> Manifest:
    part = folder / f"{PART}{name}"
    part.mkdir(mode=0o700)
    try:
        store = Store(part, source, recipient, _before(folder, recipient))
        with db.engine.connect() as connection:
            named = pictures.named(connection)
        store.take(named)
        heartbeat.beat()
        file, facts, named = _take(db.engine, part)
        heartbeat.beat()
        store.take(named)
        store.drop_others(named)
        if recipient:
            file = _encrypt(part / file, recipient)
        _write_hashes(part, store.hashes)
        made = Manifest(
            made_at=now,
            version=metadata.version("tradeboard"),
            database_kind=db.engine.dialect.name,
            database_file=file,
            database=manifest.digest(part / file),
            files=manifest.digest(part / FILES),
            photos=len(named),
            missing=len(store.missing),
            bytes=store.bytes + (part / file).stat().st_size,
            facts=facts,
            recipient=recipient,
        )
        made.write(part)
        _sync(part)
        part.rename(folder / name)
        sqlite.sync_folder(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return made


def _take(engine: Engine, part: Path) -> tuple[str, Facts, set[Picture]]:
    if engine.dialect.name == "sqlite":
        return sqlite.take(Path(engine.url.database or ""), part)
    return postgres.take(engine, part)


def _before(folder: Path, recipient: str | None) -> tuple[Path, dict[str, str]] | None:
    """Return the backup before and its files, if they are for the same recipient."""
    for _, path in all_in(folder):
        try:
            if manifest.read(path).recipient == recipient:
                return path, dict(manifest.lines(path))
        except Unusable as broken:
            log.warning("a backup cannot be linked to: %s", broken)
    return None


def _encrypt(file: Path, recipient: str) -> str:
    target = file.with_name(file.name + age.SUFFIX)
    age.encrypt(file, target, recipient)
    file.unlink()
    return target.name


def _write_hashes(part: Path, hashes: dict[str, str]) -> None:
    with manifest.open_private(part / FILES) as file:
        for name, right in sorted(hashes.items()):
            file.write(f"{right}  {name}\n".encode())


def _sync(part: Path) -> None:
    """Let files and names outlive a power cut; photos were synced one by one."""
    for path in part.iterdir():
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    for folder, _, _ in os.walk(part):
        sqlite.sync_folder(Path(folder))


def _rotate(folder: Path) -> None:
    backups = dict(all_in(folder))
    for moment in backups.keys() - rules.kept(backups):
        gone = folder / f"{PART}{backups[moment].name}"
        backups[moment].rename(gone)  # At once, or it would look whole meanwhile.
        shutil.rmtree(gone)
