"""Keys, one per purpose, kept in a file outside the database; keyed hashes.

The file is JSON: `{"purpose": {"current": "k1", "keys": {"k1": "<base64>"}}}`.
"""

import base64
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

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
    "audit",
)


class KeyMissing(Exception):
    """A purpose or a key id is not in the ring; the application must not start."""


@dataclass(frozen=True)
class Keyring:
    """All keys of one installation."""

    keys: dict[str, dict[str, bytes]]
    current: dict[str, str]

    def key(self, purpose: str, kid: str | None = None) -> bytes:
        """Return a key; without `kid` the one in use for new values."""
        try:
            return self.keys[purpose][kid or self.current[purpose]]
        except KeyError:
            raise KeyMissing(f"no key {kid or '(current)'} for {purpose}") from None

    def kid(self, purpose: str) -> str:
        """Return the id of the key in use."""
        return self.current[purpose]

    def mac(self, purpose: str, value: str, kid: str | None = None) -> bytes:
        """Return HMAC-SHA256(key, purpose 00 value)."""
        text = f"{purpose}\0{value}".encode()
        return hmac.digest(self.key(purpose, kid), text, "sha256")


def make() -> dict:
    """Return a new ring as it is written to the file."""
    return {
        purpose: {
            "current": "k1",
            "keys": {"k1": base64.b64encode(secrets.token_bytes(32)).decode()},
        }
        for purpose in PURPOSES
    }


def write_if_missing(path: Path) -> bool:
    """Write a new ring, readable by its owner alone; never overwrite one."""
    if path.exists():
        return False
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(make(), file, indent=1)
    return True


def read(path: Path) -> Keyring:
    """Read a ring, or raise KeyMissing with what is wrong in words."""
    try:
        ring = parse(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise KeyMissing(f"no keyring at {path}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise KeyMissing(f"the keyring at {path} cannot be read: {error}") from None
    for purpose in PURPOSES:
        if len(ring.key(purpose)) < 32:
            raise KeyMissing(f"the key for {purpose} is shorter than 32 bytes")
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
    return Keyring(
        keys, {purpose: ring["current"] for purpose, ring in content.items()}
    )


class _Holder:
    ring: Keyring | None = None


def use(ring: Keyring | None) -> None:
    """Set the ring of this process."""
    _Holder.ring = ring


def ring() -> Keyring:
    """Return the ring of this process, or raise KeyMissing."""
    if _Holder.ring is None:
        raise KeyMissing("no keyring has been loaded")
    return _Holder.ring


def mac(purpose: str, value: str, kid: str | None = None) -> bytes:
    """Return the keyed hash of a value with the ring of this process."""
    return ring().mac(purpose, value, kid)


def mac_hex(purpose: str, value: str, kid: str | None = None) -> str:
    """Return the keyed hash as hexadecimal text."""
    return mac(purpose, value, kid).hex()
