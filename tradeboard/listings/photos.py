"""Photo files of listings: random names in a folder of their own."""

import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path

from tradeboard.core import images

SUBFOLDER = "listings"


@dataclass(frozen=True)
class Stored:
    """A picture that lies in the folder and waits for its row."""

    id: str
    width: int
    height: int
    digest: str = ""


def accept(data: bytes, uploads: Path, *, file: str = "") -> Stored:
    """Store a stranger's picture, or raise RuleBroken that names the file.

    It takes its time, so it happens before the transaction that adds the row.
    """
    photo_id = secrets.token_hex(16)
    encoded = images.encode(data, uploads / SUBFOLDER, photo_id, file=file)
    digest = hashlib.sha256(data).hexdigest()
    return Stored(photo_id, encoded.width, encoded.height, digest)


def path(uploads: Path, photo_id: str, width: int) -> Path:
    """Return where a photo lies."""
    return images.path(uploads / SUBFOLDER, photo_id, width)
