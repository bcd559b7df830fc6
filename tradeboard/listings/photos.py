"""Photo files of listings: random names in a folder of their own."""

import hashlib
import secrets

from tradeboard.core import images
from tradeboard.core.photo_store import Store
from tradeboard.core.records import dataclass

SUBFOLDER = "listings"


@dataclass(frozen=True)
class Stored:
    """A picture that lies in the folder and waits for its row.

    `digest` tells how it looks, `sent` which file it was made of.
    """

    id: str
    width: int
    height: int
    digest: str = ""
    sent: str = ""


def accept(data: bytes, store: Store, *, file: str = "") -> Stored:
    """Store a stranger's picture, or raise RuleBroken that names the file.

    It takes its time, so it happens before the transaction that adds the row.
    """
    photo_id = secrets.token_hex(16)
    encoded = images.encode(data, store.within(SUBFOLDER), photo_id, file=file)
    sent = hashlib.sha256(data).hexdigest()
    return Stored(photo_id, encoded.width, encoded.height, encoded.digest, sent)
