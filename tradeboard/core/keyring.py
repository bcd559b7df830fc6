"""Keys, some per purpose, kept in a file outside the database; keyed hashes.

The file is JSON: `{"purpose": {"current": "k2", "keys": {"k1": "<base64>", "k2": …},
"since": {"k2": "<instant>"}}}`. New values are made with the current key; the others
stay as long as something names them. `core.keyfile` writes the file. A running process
notices within a second that the file has changed.
"""

import base64
import hmac
import json
import logging
import re
import time
from dataclasses import field
from datetime import datetime
from pathlib import Path

from tradeboard.core.records import dataclass

log = logging.getLogger(__name__)

PURPOSES = (
    "email",
    "phone",
    "words",
    "device",
    "device-public",
    "device-cookie",
    "personal-data",
    "totp",
    "paging",
    "unsubscribe",
    "audit",
)

# A file of before they came has none; `keys init` adds them.
CAME_LATER = frozenset({"unsubscribe"})

SHORTEST = 32
LOOK_EVERY = 1.0


class KeyMissing(Exception):
    """A purpose or a key id is not in the ring; the application must not start."""


@dataclass(frozen=True)
class Keyring:
    """All keys of one installation, and since when each is in use."""

    keys: dict[str, dict[str, bytes]] = field(repr=False)
    current: dict[str, str]
    since: dict[str, dict[str, datetime]] = field(default_factory=dict)

    def key(self, purpose: str, kid: str | None = None) -> bytes:
        """Return a key; without `kid` the one in use for new values."""
        kid = kid or self.current.get(purpose)
        try:
            return self.keys[purpose][kid or ""]
        except KeyError:
            raise KeyMissing(f"no key {kid or '(current)'} for {purpose}") from None

    def kid(self, purpose: str) -> str:
        """Return the id of the key in use."""
        try:
            return self.current[purpose]
        except KeyError:
            raise KeyMissing(f"no key (current) for {purpose}") from None

    def kids(self, purpose: str) -> list[str]:
        """Return the ids of all keys, the one in use first, then from new to old."""
        current = self.kid(purpose)
        others = set(self.keys[purpose]) - {current}
        return [current, *sorted(others, key=number_of, reverse=True)]

    def replaced_at(self, purpose: str, kid: str) -> datetime | None:
        """Return when the key after this one came into use, if that is known."""
        newer = [other for other in self.kids(purpose) if follows(other, kid)]
        return self.since.get(purpose, {}).get(newer[-1]) if newer else None

    def mac(self, purpose: str, value: str, kid: str | None = None) -> bytes:
        """Return HMAC-SHA256(key, purpose 00 value)."""
        text = f"{purpose}\0{value}".encode()
        return hmac.digest(self.key(purpose, kid), text, "sha256")


def number_of(kid: str) -> int:
    """Return which one in its row a key is: 2 for `k2`."""
    found = re.fullmatch(r"k([0-9]{1,9})", kid)
    return int(found[1]) if found else 0


def follows(kid: str, other: str) -> bool:
    """Tell whether a key is newer than another."""
    return number_of(kid) > number_of(other)


def read(path: Path) -> Keyring:
    """Read a ring, or raise KeyMissing with what is wrong in words."""
    try:
        ring = parse(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise KeyMissing(f"no keyring at {path}") from None
    except OSError as error:
        raise KeyMissing(f"the keyring at {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        wrong = type(error).__name__
        raise KeyMissing(f"the keyring at {path} cannot be read: {wrong}") from None
    for purpose in PURPOSES:
        if purpose in CAME_LATER and purpose not in ring.keys:
            continue
        ring.key(purpose)
        for kid, key in ring.keys[purpose].items():
            if len(key) < SHORTEST:
                short = f"the key {kid} for {purpose} is shorter than {SHORTEST} bytes"
                raise KeyMissing(short)
    return ring


def parse(content: dict) -> Keyring:
    """Turn the content of the file into a ring."""
    keys = {
        purpose: {
            kid: base64.b64decode(key, validate=True)
            for kid, key in ring["keys"].items()
        }
        for purpose, ring in content.items()
    }
    since = {
        purpose: {
            kid: datetime.fromisoformat(moment)
            for kid, moment in ring.get("since", {}).items()
        }
        for purpose, ring in content.items()
    }
    current = {purpose: ring["current"] for purpose, ring in content.items()}
    return Keyring(keys, current, since)


class _Holder:
    """The ring of this process, and what its file looked like when it was read."""

    ring: Keyring | None = None
    path: Path | None = None
    mark: tuple[int, ...] = ()
    looked_at: float = 0.0


def use(ring: Keyring | None) -> None:
    """Set the ring of this process; it comes from no file."""
    _Holder.ring, _Holder.path = ring, None


def use_file(path: Path) -> None:
    """Read the ring of this process from a file, and again whenever that changes."""
    mark = _mark_of(path)
    _Holder.ring, _Holder.path = read(path), path
    _Holder.mark, _Holder.looked_at = mark, time.monotonic()


def ring(*, at_once: bool = False) -> Keyring:
    """Return the ring of this process, or raise KeyMissing.

    The file is looked at once a second, or `at_once`.
    """
    if _Holder.path is not None:
        _look(_Holder.path, at_once)
    if _Holder.ring is None:
        raise KeyMissing("no keyring has been loaded")
    return _Holder.ring


def _look(path: Path, at_once: bool) -> None:
    now = time.monotonic()
    if not at_once and now - _Holder.looked_at < LOOK_EVERY:
        return
    _Holder.looked_at = now
    mark = _mark_of(path)
    if mark == _Holder.mark:
        return
    # Marked before reading, so that a change meanwhile is seen the next time.
    _Holder.mark = mark
    try:
        _Holder.ring = read(path)
    except KeyMissing as missing:
        log.error("the keys read before stay in use: %s", missing)


def _mark_of(path: Path) -> tuple[int, ...]:
    """Return what changes whenever the file is replaced; nothing if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_ino, found.st_size


def knows(purpose: str, kid: str) -> bool:
    """Tell whether there is such a key, also one made a moment ago."""
    known = kid in ring().keys.get(purpose, {})
    return known or kid in ring(at_once=True).keys.get(purpose, {})


def key(purpose: str, kid: str) -> bytes:
    """Return a key that a stored value names, also one made a moment ago."""
    knows(purpose, kid)
    return ring().key(purpose, kid)


def mac(purpose: str, value: str, kid: str | None = None) -> bytes:
    """Return the keyed hash of a value with the ring of this process."""
    if kid is not None:
        knows(purpose, kid)
    return ring().mac(purpose, value, kid)


def mac_hex(purpose: str, value: str, kid: str | None = None) -> str:
    """Return the keyed hash as hexadecimal text."""
    return mac(purpose, value, kid).hex()
