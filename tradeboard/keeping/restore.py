"""Bring a backup back: checked first, then put in place as a whole."""

import contextlib
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sqlalchemy import make_url

from tradeboard.core import heartbeat
from tradeboard.core.photo_store import Store
from tradeboard.core.records import dataclass
from tradeboard.keeping import age, manifest, pictures, postgres, sqlite
from tradeboard.keeping.manifest import Manifest, Unusable


@dataclass(frozen=True)
class Restored:
    """What was brought back: from which backup, and where the old database is now."""

    manifest: Manifest
    photos: int
    before: str | None


def folder_of(path: Path) -> Path:
    """Return the folder of a backup that is named by itself or by a file in it."""
    return path if path.is_dir() else path.parent


def restore(
    backup: Path,
    url: str,
    *,
    store: Store,
    now: datetime,
    replace: bool = False,
    identity: Path | None = None,
    link: bool = False,
) -> Restored:
    """Restore a database and its photos; what was there keeps a name with the time.

    Whoever calls has made sure that nobody uses the database. With `link` the photos
    are linked to instead of copied, for a trial on the same disk.
    """
    checked = manifest.check(backup)
    heartbeat.beat()
    kind = make_url(url).get_backend_name()
    if kind != checked.database_kind:
        raise Unusable(
            f"The backup is of {checked.database_kind}, the database is {kind}: "
            "restore it elsewhere with --to, then `copy-database`."
        )
    # Photos first, so that no page of the restored board lacks one.
    brought = sum(
        pictures.bring_back(backup, path, store, identity=identity, link=link)
        for path, _ in manifest.lines(backup)
    )
    heartbeat.beat()
    with _plain(backup / checked.database_file, identity) as file:
        if kind == "sqlite":
            kept = sqlite.put(file, Path(make_url(url).database or ""), now)
            before = str(kept) if kept else None
        else:
            before = postgres.restore(file, url, replace=replace, now=now)
    return Restored(checked, brought, before)


@contextlib.contextmanager
def _plain(source: Path, identity: Path | None) -> Iterator[Path]:
    """Return the database of a backup, readable as long as the block lasts."""
    if source.suffix != age.SUFFIX:
        yield source
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / source.stem
        age.decrypt(source, plain, identity)
        yield plain
