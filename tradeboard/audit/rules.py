"""How each row of the log is chained to the one before it, and what breaks a chain.

A row's hash is HMAC-SHA256 with the key that the row names, over the hash of the row
before and the row itself. Whoever has no key can write no row, and none can be moved.
"""

import hmac
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from tradeboard.core.records import dataclass

GENESIS = "0" * 64
AS_WRITTEN = "%Y-%m-%dT%H:%M:%S.%fZ"
NEAR = 1000  # How far away the place is looked for that a moved row was written for.


@dataclass(frozen=True)
class Facts:
    """What one row says."""

    seq: int
    at: datetime
    actor: int | None
    action: str
    object: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Link:
    """One row as it stands in the table; rows older than the chain have no hash."""

    facts: Facts
    kid: str | None
    prev_hash: str | None
    hash: str | None


@dataclass(frozen=True)
class Head:
    """The last number and hash that were given out."""

    seq: int
    hash: str


@dataclass(frozen=True)
class Anchor:
    """What was the last row at some moment, kept outside the database."""

    seq: int
    hash: str
    at: datetime


class Wrong(StrEnum):
    """What is wrong with a chain."""

    EDITED = "edited"
    MISSING = "missing"
    REORDERED = "reordered"
    INSERTED = "inserted"
    KEY = "key"
    HEAD = "head"
    OLDER = "older"
    REPLACED = "replaced"


@dataclass(frozen=True)
class Broken:
    """Where a chain breaks first, and how."""

    seq: int
    wrong: Wrong


class ChainBroken(Exception):
    """The log is not as the board wrote it; the text is the number and the name."""

    def __init__(self, broken: Broken):
        super().__init__(f"{broken.seq} {broken.wrong}")


def plain(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body as the database will give it back, or raise TypeError."""
    return json.loads(json.dumps(body, allow_nan=False))


def canonical(facts: Facts) -> str:
    """Return the one text that stands for what a row says."""
    at = facts.at.astimezone(UTC).strftime(AS_WRITTEN)
    written = {**vars(facts), "at": at}
    return json.dumps(written, sort_keys=True, separators=(",", ":"), allow_nan=False)


def link(key: bytes, prev_hash: str, facts: Facts) -> str:
    """Return the hash that chains a row to the one before it."""
    text = f"audit\0{prev_hash}{canonical(facts)}"
    return hmac.digest(key, text.encode(), "sha256").hex()


def anchor_line(anchor: Anchor) -> str:
    """Return an anchor as one line of text."""
    at = anchor.at.astimezone(UTC).strftime(AS_WRITTEN)
    return json.dumps({"seq": anchor.seq, "hash": anchor.hash, "at": at})


def read_anchor(line: str) -> Anchor | None:
    """Read an anchor back; None if the line is not whole."""
    try:
        found = json.loads(line)
        seq, hash, at = found["seq"], found["hash"], found["at"]
        moment = datetime.fromisoformat(at)
    except (ValueError, TypeError, KeyError):
        return None
    is_whole = isinstance(seq, int) and isinstance(hash, str) and moment.tzinfo
    return Anchor(seq, hash, moment) if is_whole else None


class Walk:
    """Goes along a chain, row by row in the order of numbers, up to its head.

    `key_of` returns the key with an id, or None. `seq` and `hash` are of the last row
    that was right, `rows` and `unchained` how many were.
    """

    def __init__(self, head: Head, key_of: Callable[[str], bytes | None]):
        self.head, self.key_of = head, key_of
        self.seq, self.hash = 0, GENESIS
        self.rows = self.unchained = 0

    def step(self, row: Link, following: Link | None) -> Broken | None:
        """Check the next row; the one after it tells what happened to this one."""
        if row.hash is None:
            if self.rows:
                return Broken(row.facts.seq, Wrong.INSERTED)
            self.seq, self.unchained = row.facts.seq, self.unchained + 1
            return None
        broken = self._look(row, following)
        if broken is None:
            self.seq, self.hash, self.rows = row.facts.seq, row.hash, self.rows + 1
        return broken

    def end(self) -> Broken | None:
        """Compare the last row with the head."""
        if self.head.seq > self.seq:
            return Broken(self.seq + 1, Wrong.MISSING)
        if self.head.hash != self.hash:
            return Broken(self.seq, Wrong.HEAD)
        return None

    def _look(self, row: Link, following: Link | None) -> Broken | None:
        seq = row.facts.seq
        if seq > self.head.seq:
            return Broken(seq, Wrong.HEAD if self._is_own(row) else Wrong.INSERTED)
        if seq != self.seq + 1:
            return Broken(self.seq + 1, Wrong.MISSING)
        if not self._is_own(row):
            return Broken(seq, self._what_happened(row, following))
        if row.prev_hash != self.hash:
            return Broken(seq, Wrong.REORDERED)
        return None

    def _what_happened(self, row: Link, following: Link | None) -> Wrong:
        """Tell why a row is not what the board wrote at this place."""
        if self.key_of(row.kid or "") is None:
            return Wrong.KEY
        moved = self._moved(row, range(-NEAR, NEAR + 1))
        if moved is not None:
            came_along = following and self._moved(following, (moved,)) is not None
            return Wrong.MISSING if moved > 0 and came_along else Wrong.REORDERED
        if following and self._moved(following, (-1,)) is not None:
            return Wrong.INSERTED
        return Wrong.EDITED

    def _moved(self, row: Link, places) -> int | None:
        """Return how far behind its place a row was written, if it was near."""
        for places_on in places:
            facts = replace(row.facts, seq=row.facts.seq + places_on)
            if self._is_own(replace(row, facts=facts)):
                return places_on
        return None

    def _is_own(self, row: Link) -> bool:
        """Tell whether the board wrote this row, for this place."""
        key = self.key_of(row.kid or "")
        return key is not None and link(key, row.prev_hash or "", row.facts) == row.hash
