"""Keyset cursors: opaque, signed, and cheap at any depth."""

import base64
import hmac
from collections.abc import Sequence
from datetime import datetime
from typing import Generic, TypeVar

from tradeboard.core import keyring
from tradeboard.core.records import dataclass

PAGE_SIZE = 24
LARGEST_PAGE = 100

Row = TypeVar("Row")


@dataclass(frozen=True)
class Cursor:
    """The last row of a page: where the next page goes on."""

    at: datetime
    id: int


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Some rows, and the cursor of the next ones if there are any."""

    rows: Sequence[Row]
    after: str | None


def encode(cursor: Cursor) -> str:
    """Return the cursor as it stands in a link."""
    text = f"{cursor.at.isoformat()}|{cursor.id}"
    sealed = keyring.mac("paging", text)[:8] + text.encode()
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def decode(text: str | None) -> Cursor | None:
    """Return the cursor of a link; a made-up one counts as none."""
    if not text or len(text) > 200:
        return None
    try:
        sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        plain = sealed[8:].decode()
        if not _is_ours(plain, sealed[:8]):
            return None
        at, _, number = plain.rpartition("|")
        return Cursor(datetime.fromisoformat(at), int(number))
    except (ValueError, UnicodeError):
        return None


def _is_ours(plain: str, signature: bytes) -> bool:
    """Tell whether one of our keys signed this, also one that was replaced since."""
    ring = keyring.ring(at_once=True)
    return any(
        hmac.compare_digest(ring.mac("paging", plain, kid)[:8], signature)
        for kid in ring.kids("paging")
    )


def page(rows: Sequence[Row], size: int, at: str, id: str = "id") -> Page[Row]:
    """Cut `size + 1` fetched rows to a page; `at` and `id` name the sort columns."""
    if len(rows) <= size:
        return Page(rows, None)
    last = rows[size - 1]
    return Page(rows[:size], encode(Cursor(getattr(last, at), getattr(last, id))))
