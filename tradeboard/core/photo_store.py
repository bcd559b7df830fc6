"""Where photo files lie: a folder, or a bucket that several hosts share.

Names are random and used once, so nothing is ever written over. Files are stored before
the transaction that names them; what no row names goes after a day.
"""

import errno
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol, Self

from tradeboard.core.errors import NoRoom, NotStored
from tradeboard.core.image_child import WIDTHS
from tradeboard.core.messages import message
from tradeboard.core.records import dataclass

ROOM_TO_KEEP = 500 * 1000 * 1000
ASKED_AT_ONCE = 500

NO_ROOM = message("写真を保存する場所が足りません。時間をおいてお試しください。")
NOT_STORED = message("写真をいま保存できません。少し待ってからもう一度お試しください。")

_FILE = re.compile(r"([a-z0-9]{1,64})-([0-9]{1,5})\.jpg")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Opened:
    """A file that is being read, and how long it is."""

    stream: IO[bytes]
    length: int


@dataclass(frozen=True)
class File:
    """One file that is stored: a picture in one of its sizes, and since when."""

    name: str
    width: int
    length: int
    at: datetime


class Store(Protocol):
    """What both kinds of places can do; `within` leads to the photos of one kind."""

    def within(self, kind: str) -> Self:
        """Return the part of the store that holds one kind of photos."""

    def make_room(self) -> None:
        """Raise NoRoom where nothing more should be stored."""

    def put(self, name: str, width: int, body: bytes) -> None:
        """Store a file, whole and lasting, or raise NoRoom or NotStored."""

    def open(self, name: str, width: int) -> Opened | None:
        """Return a file to read, or None if there is none."""

    def length(self, name: str, width: int) -> int | None:
        """Return how long a file is, or None if there is none."""

    def remove(self, name: str) -> None:
        """Delete a picture in all its sizes."""

    def drop_halves(self, before: datetime) -> None:
        """Delete what a crash left half written before a moment."""

    def files(self) -> Iterator[File]:
        """Return what is stored, in no order, a page at a time."""


def file_name(name: str, width: int) -> str:
    """Return what a picture's file is called; names are ours, random and plain."""
    if not re.fullmatch(r"[a-z0-9]{1,64}", name) or width not in WIDTHS:
        raise ValueError("not a picture's name")
    return f"{name}-{width}.jpg"


def name_and_width(file: str) -> tuple[str, int] | None:
    """Read what a file is called; None for what is no picture of ours."""
    found = _FILE.fullmatch(file)
    return (found[1], int(found[2])) if found else None


def path(folder: Path, name: str, width: int) -> Path:
    """Return where a picture lies in a folder."""
    return folder / file_name(name, width)


def remove_unnamed(
    store: Store, named: Callable[[list[str]], set[str]], *, before: datetime
) -> int:
    """Delete pictures older than a moment that no row names; return how many.

    `named` returns which of some names a row knows.
    """
    gone = 0
    store.drop_halves(before)
    old = (file.name for file in store.files() if file.at < before)
    while some := list(islice(old, ASKED_AT_ONCE)):
        names = sorted(set(some))
        unnamed = set(names) - named(names)
        for name in unnamed:
            store.remove(name)
        gone += len(unnamed)
    return gone


@dataclass
class Copied:
    """How many files were copied, and how many were there already."""

    copied: int = 0
    there: int = 0
    bytes: int = 0


def copy_missing(source: Store, target: Store) -> Copied:
    """Copy what is not there yet, so that it can be begun again; nothing is changed.

    A file of another length there is a mistake, and raises ValueError.
    """
    done = Copied()
    target.make_room()
    for file in source.files():
        length = target.length(file.name, file.width)
        if length is None:
            opened = source.open(file.name, file.width)
            if opened is None:
                continue
            with closing(opened.stream) as stream:
                target.put(file.name, file.width, stream.read())
            length = target.length(file.name, file.width)
            done.copied += 1
            done.bytes += file.length
        else:
            done.there += 1
        if length != file.length:
            name = file_name(file.name, file.width)
            raise ValueError(f"{name} has {length} bytes there, {file.length} here")
    return done


class FolderStore:
    """Photos in a folder of this host, or of a file system that hosts share."""

    def __init__(self, folder: Path):
        self.folder = folder

    def within(self, kind: str) -> "FolderStore":
        """Return the folder below it."""
        return FolderStore(self.folder / kind)

    def make_room(self) -> None:
        """Make the folder, and raise NoRoom before the disk is full."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            free = shutil.disk_usage(self.folder).free
        except OSError as error:
            raise _not_stored(error) from error
        if free < ROOM_TO_KEEP:
            raise NoRoom(NO_ROOM, field="photo")

    def put(self, name: str, width: int, body: bytes) -> None:
        """Write a file that is there as a whole or not at all, and outlasts a crash."""
        target = path(self.folder, name, width)
        part = target.with_suffix(".part")
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                out.write(body)
                out.flush()
                os.fsync(out.fileno())
            part.replace(target)
            _sync(self.folder)
        except OSError as error:
            raise _not_stored(error) from error

    def open(self, name: str, width: int) -> Opened | None:
        """Open a file."""
        try:
            stream = path(self.folder, name, width).open("rb")
        except FileNotFoundError:
            return None
        return Opened(stream, os.fstat(stream.fileno()).st_size)

    def length(self, name: str, width: int) -> int | None:
        """Look how long a file is."""
        try:
            return path(self.folder, name, width).stat().st_size
        except FileNotFoundError:
            return None

    def remove(self, name: str) -> None:
        """Delete a picture in all its sizes."""
        for width in WIDTHS:
            path(self.folder, name, width).unlink(missing_ok=True)

    def drop_halves(self, before: datetime) -> None:
        """Delete what a crash left half written."""
        for part in self.folder.glob("*.part"):
            if part.stat().st_mtime < before.timestamp():
                part.unlink(missing_ok=True)

    def files(self) -> Iterator[File]:
        """Walk through the folder."""
        if not self.folder.is_dir():
            return
        with os.scandir(self.folder) as entries:
            for entry in entries:
                known = name_and_width(entry.name)
                if known is None:
                    continue
                try:
                    facts = entry.stat()
                except FileNotFoundError:
                    continue
                at = datetime.fromtimestamp(facts.st_mtime, UTC)
                yield File(*known, facts.st_size, at)


def _sync(folder: Path) -> None:
    """Let the names in a folder outlast a crash."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _not_stored(error: OSError) -> NoRoom | NotStored:
    log.error("photo folder: %s", error)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return NoRoom(NO_ROOM, field="photo")
    return NotStored(NOT_STORED, field="photo")


def of(config: Mapping[str, Any]) -> Store:
    """Return the store that the settings name."""
    if not config["PHOTO_STORE"]:
        return FolderStore(Path(config["UPLOADS"]))
    from tradeboard.core import photo_bucket

    return photo_bucket.opened(config["PHOTO_STORE"], config["S3_ENDPOINT_URL"])
