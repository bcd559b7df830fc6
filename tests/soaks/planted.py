"""S6: a number, an address, words, a key stand in their cells and nowhere else."""

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import test_canaries as canaries
from tests.soaks.forging import listening
from tests.soaks.telling import Telling
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.keeping import jobs


def s6(app, *, quick: bool) -> dict:
    """Plant them, open everything as everybody, and look where each is found."""
    with listening() as log:
        return prove(canaries.fill(app), log, quick=quick)


def prove(world, log, *, quick: bool) -> dict:
    """Look where each secret of a world is found; the log is read at the end."""
    told = Telling("S6", quick)
    seen, wrong = canaries.walked(world)
    told.check(not wrong, f"broken or kept: {wrong[:5]}")
    may = {one for one in canaries.allowed(world) if one[0] in canaries.walkers(world)}
    told.check(seen <= may, f"found: {sorted(seen - may)[:5]}")
    told.check(seen >= may, f"not where it should be: {sorted(may - seen)[:5]}")
    told.check(not world.book.found(log.getvalue()), "the log knows")
    for look in (
        canaries.assert_mails_and_records_are_clean,
        canaries.assert_the_database_holds_none,
    ):
        try:
            look(world)
        except AssertionError as error:
            told.check(False, f"{look.__name__}: {str(error)[:300]}")
    is_file = db.engine.dialect.name == "sqlite"  # The other is packed by pg_dump.
    files = _backup(world, told) if is_file else 0
    return told.tell(
        n=len(seen), canaries=len(world.book.canaries), cells=len(may), files=files
    )


def _backup(world, told: Telling) -> int:
    """Search every byte of a backup; addresses of mailboxes stand in it, alone."""
    db.session.remove()
    with TemporaryDirectory() as folder:
        path, _ = jobs.make(Path(folder), now=clock.now())
        texts = [text for file in sorted(path.rglob("*")) for text in _texts(file)]
    for name, text in texts:
        found = {one for one in world.book.found(text) if not one.startswith("email")}
        told.check(not found, f"the backup's {name} holds {sorted(found)[:3]}")
    return len(texts)


def _texts(file: Path) -> list[tuple[str, str]]:
    """Return the content of a file, unpacked where it is packed."""
    if not file.is_file():
        return []
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            parts = {name: packed.read(name) for name in packed.namelist()}
    else:
        parts = {file.name: file.read_bytes()}
    return [(name, part.decode("utf-8", "replace")) for name, part in parts.items()]
