"""Write the copy of one's own data: a ZIP of JSON files and of photos."""

import json
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import date, datetime
from typing import IO, Any

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.photo_store import Store
from tradeboard.privacy.queries import SECTIONS
from tradeboard.privacy.queries.pictures import pictures_of

LARGEST = 500 * 1000 * 1000
WIDTH = 2048


def write(out: IO[bytes], owner: Account, *, readme: str, store: Store) -> None:
    """Write everything that is the person's own into an open file.

    Rows are read as they are written. Photos come last, with nothing open in the
    database, and end when all of them together are too large.
    """
    pictures = list(pictures_of(owner.id))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", readme)
        for name, section in SECTIONS.items():
            with archive.open(f"{name}.json", "w") as file:
                for piece in _as_json(section(owner)):
                    file.write(piece.encode())
        db.session.rollback()
        _add_pictures(archive, pictures, store)


def _as_json(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield "["
    before = "\n"
    for row in rows:
        yield before + json.dumps(row, ensure_ascii=False, default=_plain)
        before = ",\n"
    yield "\n]\n"


def _plain(value: Any) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    raise TypeError(type(value).__name__)


def _add_pictures(
    archive: zipfile.ZipFile, pictures: Iterable[tuple[str, str]], store: Store
) -> None:
    """Add photos as they are, until there are too many; a lost file is left out."""
    room = LARGEST
    for folder, name in pictures:
        opened = store.within(folder).open(name, WIDTH)
        if opened is None:
            continue
        with closing(opened.stream) as file:
            if opened.length > room:
                continue
            room -= opened.length
            entry = zipfile.ZipInfo(f"photos/{folder}/{name}.jpg")
            with archive.open(entry, "w") as target:
                shutil.copyfileobj(file, target)
