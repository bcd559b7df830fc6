"""What a backup holds, written down beside it: last of all, so that it is whole."""

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from tradeboard.core.records import dataclass

NAME = "manifest.json"
FILES = "files.sha256"
FORMAT = 1
AT_ONCE = 1024 * 1024


class Unusable(RuntimeError):
    """A backup is not whole, or not what it says; the text says why."""


@dataclass(frozen=True)
class Facts:
    """What a database held at one moment; the audit log up to its last row."""

    revision: str | None
    counts: dict[str, int]
    audit_seq: int
    audit_hash: str


@dataclass(frozen=True)
class Manifest:
    """One backup: `database` and `files` are the hashes of two of its files.

    `files.sha256` has a line for each photo, as `sha256sum --check` reads it. `missing`
    counts photos that a row names and that were gone already; `recipient` is for whom
    all is encrypted.
    """

    made_at: datetime
    version: str
    database_kind: str
    database_file: str
    database: str
    files: str
    photos: int
    missing: int
    bytes: int
    facts: Facts
    recipient: str | None = None

    def write(self, folder: Path) -> None:
        """Write it down, readable for the board alone."""
        content = dataclasses.asdict(self) | {
            "format": FORMAT,
            "made_at": self.made_at.isoformat(),
        }
        target = folder / NAME
        with open_private(target) as file:
            file.write(json.dumps(content, indent=1).encode() + b"\n")


def open_private(path: Path):
    """Open a new file that only its owner may read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    return os.fdopen(os.open(path, flags, 0o600), "wb")


def read(folder: Path) -> Manifest:
    """Read what a backup says of itself, or raise Unusable."""
    try:
        content = json.loads((folder / NAME).read_text(encoding="utf-8"))
        if content.pop("format") != FORMAT:
            raise Unusable(f"{folder} was made by another version of the board.")
        content["made_at"] = datetime.fromisoformat(content["made_at"])
        content["facts"] = Facts(**content["facts"])
        return Manifest(**content)
    except OSError as error:
        raise Unusable(f"{folder} is no whole backup: {error.strerror}.") from None
    except (ValueError, TypeError, KeyError) as error:
        wrong = type(error).__name__
        raise Unusable(f"The manifest of {folder} cannot be read: {wrong}.") from None


def check(folder: Path) -> Manifest:
    """Compare each file of a backup with its hash; return what it says, or raise."""
    manifest = read(folder)
    for name, right in (
        (manifest.database_file, manifest.database),
        (FILES, manifest.files),
        *lines(folder),
    ):
        path = folder / name
        if not path.is_file():
            raise Unusable(f"{path} is missing.")
        if digest(path) != right:
            raise Unusable(f"{path} is not as it was written.")
    return manifest


def lines(folder: Path) -> Iterator[tuple[str, str]]:
    """Return the path of each photo in a backup and its hash."""
    path = folder / FILES
    if not path.is_file():
        raise Unusable(f"{path} is missing.")
    with path.open(encoding="utf-8") as file:
        for line in file:
            right, _, name = line.rstrip("\n").partition("  ")
            yield name, right


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
