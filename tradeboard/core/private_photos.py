"""Photos that are for some people alone: random names in a folder for each kind."""

import secrets

from tradeboard.core import images
from tradeboard.core.photo_store import Store
from tradeboard.core.records import dataclass


@dataclass(frozen=True)
class Stored:
    """A picture that lies in the folder and waits for its row."""

    id: str
    width: int
    height: int


@dataclass(frozen=True)
class Folder:
    """Where one kind of private photos lies, below the folder of all uploads."""

    name: str

    def accept(self, data: bytes, store: Store, *, file: str = "") -> Stored:
        """Store a stranger's picture, or raise RuleBroken that names the file.

        It takes its time, so it happens before the transaction that adds the row.
        """
        photo_id = secrets.token_hex(16)
        encoded = images.encode(data, store.within(self.name), photo_id, file=file)
        return Stored(photo_id, encoded.width, encoded.height)
