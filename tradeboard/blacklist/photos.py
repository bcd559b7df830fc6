"""Pictures that speak for somebody: files in a folder of their own, never public."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from tradeboard.core import images
from tradeboard.core.image_child import WIDTHS

SUBFOLDER = "evidence"


@dataclass(frozen=True)
class Stored:
    """A picture that lies in the folder and waits for its row."""

    id: str
    width: int
    height: int


def accept(data: bytes, uploads: Path, *, file: str = "") -> Stored:
    """Store a picture without what travelled with it, or raise RuleBroken.

    It takes its time, so it happens before the transaction that adds the row.
    """
    file_id = secrets.token_hex(16)
    encoded = images.encode(data, uploads / SUBFOLDER, file_id, file=file)
    return Stored(file_id, encoded.width, encoded.height)


def path(uploads: Path, file_id: str, width: int) -> Path | None:
    """Return where a picture lies, or None if there is none of that size."""
    if width not in WIDTHS:
        return None
    file = images.path(uploads / SUBFOLDER, file_id, width)
    return file if file.exists() else None
