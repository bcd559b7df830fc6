"""The files of photos: which ones rows name, and how they come into a backup."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, select

from tradeboard.blacklist import photos as evidence
from tradeboard.blacklist.models import EntryDraft, EvidenceFile
from tradeboard.blacklist.services.drafts import PICTURES
from tradeboard.core import photo_store
from tradeboard.core.drafts import FormDraft
from tradeboard.core.image_child import WIDTHS
from tradeboard.core.photo_store import Store as Source
from tradeboard.keeping import age
from tradeboard.keeping.manifest import Unusable, open_private
from tradeboard.listings import photos as listings
from tradeboard.listings.models import Photo
from tradeboard.trades import photos as proofs
from tradeboard.trades.models import MessagePhoto, Proof
from tradeboard.trades.queries.talking import MESSAGE_DRAFT

FOLDER = "photos"
KINDS = (listings.SUBFOLDER, proofs.SUBFOLDER, evidence.SUBFOLDER)
PATH = re.compile(
    rf"{FOLDER}/({'|'.join(KINDS)})/([a-z0-9]{{1,64}})-([0-9]{{1,5}})\.jpg(?:\.age)?"
)

# A picture is named by its kind and its own name.
Picture = tuple[str, str]


def named(connection: Connection) -> set[Picture]:
    """Return the pictures that rows name, also those that wait in a draft."""
    found: set[Picture] = set()
    for kind, column in (
        (listings.SUBFOLDER, Photo.id),
        (proofs.SUBFOLDER, Proof.id),
        (proofs.SUBFOLDER, MessagePhoto.id),
        (evidence.SUBFOLDER, EvidenceFile.id),
    ):
        found.update((kind, name) for name in connection.scalars(select(column)))
    messages = select(FormDraft.fields).where(FormDraft.kind == MESSAGE_DRAFT)
    for fields in connection.scalars(messages):
        waiting = fields.get("photos", ())
        found.update((proofs.SUBFOLDER, photo[0]) for photo in waiting)
    statements = select(EntryDraft.words).where(EntryDraft.kind.in_(PICTURES.values()))
    for words in connection.scalars(statements):
        found.update((evidence.SUBFOLDER, photo[0]) for photo in json.loads(words))
    return found


def stored(store: Source) -> Iterator[tuple[Picture, int, datetime]]:
    """Return the files of the store: of which picture, how wide, since when."""
    for kind in KINDS:
        for file in store.within(kind).files():
            yield (kind, file.name), file.width, file.at


class Store:
    """The photos of a backup that is being made: each linked, or copied if it is new.

    What the backup before holds already is linked to, and so takes no room again.
    """

    def __init__(
        self,
        folder: Path,
        source: Source,
        recipient: str | None,
        before: tuple[Path, dict[str, str]] | None,
    ):
        self.folder, self.source, self.recipient = folder, source, recipient
        self.before = before
        self.hashes: dict[str, str] = {}
        self.bytes = 0
        self.missing: set[Picture] = set()

    def take(self, pictures: Iterable[Picture]) -> None:
        """Take in the files of some pictures; what is gone is noted as missing."""
        for picture in pictures:
            if all([self._take_one(*picture, width) for width in WIDTHS]):
                self.missing.discard(picture)
            else:
                self.missing.add(picture)

    def drop_others(self, pictures: set[Picture]) -> None:
        """Drop what was taken in and is not among some pictures."""
        for path in list(self.hashes):
            kind, name, _ = _parts(path)
            if (kind, name) not in pictures:
                (self.folder / path).unlink()
                del self.hashes[path]
        self.missing &= pictures

    def _take_one(self, kind: str, name: str, width: int) -> bool:
        path = f"{FOLDER}/{kind}/{photo_store.file_name(name, width)}"
        path += age.SUFFIX if self.recipient else ""
        if path in self.hashes:
            return True
        target = self.folder / path
        for folder in (target.parents[1], target.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        if not self._link(path, target):
            opened = self.source.within(kind).open(name, width)
            if opened is None:
                return False
            with opened.stream:
                self.hashes[path] = _copy(opened.stream, target, self.recipient)
        self.bytes += target.stat().st_size
        return True

    def _link(self, path: str, target: Path) -> bool:
        if self.before is None or path not in self.before[1]:
            return False
        try:
            os.link(self.before[0] / path, target)
        except OSError:
            return False
        self.hashes[path] = self.before[1][path]
        return True


def _copy(source: IO[bytes], target: Path, recipient: str | None) -> str:
    """Copy a file so that it outlives a power cut; return its hash."""
    body = source.read()
    if recipient:
        body = age.encrypted(body, recipient)
    with open_private(target) as out:
        out.write(body)
        out.flush()
        os.fsync(out.fileno())
    return hashlib.sha256(body).hexdigest()


def bring_back(
    backup: Path, path: str, store: Source, *, identity: Path | None, link: bool
) -> bool:
    """Bring one photo of a backup back to where it lay; tell whether it was away.

    One that is there stays: photos never change.
    """
    kind, name, width = _parts(path)
    place = store.within(kind)
    if place.length(name, width) is not None:
        return False
    place.make_room()
    source = backup / path
    if path.endswith(age.SUFFIX):
        place.put(name, width, age.decrypted(source, identity))
    elif link and isinstance(place, photo_store.FolderStore):
        os.link(source, photo_store.path(place.folder, name, width))
    else:
        place.put(name, width, source.read_bytes())
    return True


def _parts(path: str) -> tuple[str, str, int]:
    """Return kind, name and width of a photo; a path that is none is refused."""
    found = PATH.fullmatch(path)
    if found is None:
        raise Unusable("The backup names a file that is no photo.")
    return found[1], found[2], int(found[3])
