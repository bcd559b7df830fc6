"""Write the file of keys: all of it or nothing, and one command at a time."""

import base64
import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from tradeboard.core import keyring
from tradeboard.core.keyring import PURPOSES, KeyMissing, number_of

FIRST = "k1"
MODE = 0o600


class KeyInUse(Exception):
    """A key that new values are made with cannot go."""


class Busy(Exception):
    """Another command is at work on the keys."""


def make(*, now: datetime | None = None) -> dict[str, Any]:
    """Return a new ring as it is written to the file."""
    ring: dict[str, Any] = {}
    for purpose in PURPOSES:
        ring[purpose] = {"current": FIRST, "keys": {FIRST: _random()}}
        if now is not None:
            ring[purpose]["since"] = {FIRST: now.isoformat()}
    return ring


def write_if_missing(path: Path, *, now: datetime | None = None) -> bool:
    """Write a new ring, readable by its owner alone; never overwrite one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(path):
        if path.exists():
            return False
        _replace(path, make(now=now))
    return True


def complete(path: Path, *, now: datetime) -> list[str]:
    """Add a first key for each purpose that a file of before lacks; return which."""
    with _alone(path):
        content = _content(path)
        lacking = [purpose for purpose in PURPOSES if purpose not in content]
        fresh = make(now=now)
        content.update({purpose: fresh[purpose] for purpose in lacking})
        if lacking:
            _replace(path, content)
    return lacking


def add(path: Path, purpose: str, *, now: datetime) -> str:
    """Add a random key that new values are made with from now on; return its id."""
    with _alone(path):
        content = _content(path)
        ring = content[purpose]
        kid = f"k{max(map(number_of, ring['keys'])) + 1}"
        ring["keys"][kid] = _random()
        ring.setdefault("since", {})[kid] = now.isoformat()
        ring["current"] = kid
        _replace(path, content)
    return kid


def drop(path: Path, purpose: str, kid: str) -> None:
    """Remove a key for good; the one in use is refused."""
    with _alone(path):
        content = _content(path)
        ring = content[purpose]
        if ring["current"] == kid:
            raise KeyInUse(f"the key {kid} for {purpose} is in use")
        if kid not in ring["keys"]:
            raise KeyMissing(f"no key {kid} for {purpose}")
        del ring["keys"][kid]
        ring.get("since", {}).pop(kid, None)
        _replace(path, content)


@contextlib.contextmanager
def one_rotation(path: Path) -> Iterator[None]:
    """Let one command rotate at a time; raise Busy in the other one."""
    with _locked(_beside(path, ".rotating"), fcntl.LOCK_EX | fcntl.LOCK_NB):
        yield


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until nobody else changes the file."""
    with _locked(_beside(path, ".lock"), fcntl.LOCK_EX):
        yield


@contextlib.contextmanager
def _locked(lock: Path, how: int) -> Iterator[None]:
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, MODE)
    try:
        fcntl.flock(descriptor, how)
        yield
    except BlockingIOError:
        raise Busy(f"another command holds {lock}") from None
    finally:
        os.close(descriptor)


def _beside(path: Path, ending: str) -> Path:
    real = path.resolve()
    return real.with_name(real.name + ending)


def _content(path: Path) -> dict[str, Any]:
    """Return the file as it is, once it has been read as a whole ring."""
    keyring.read(path)
    return json.loads(path.read_text(encoding="utf-8"))


def _replace(path: Path, content: dict[str, Any]) -> None:
    """Put new content in place at once, on the disk, for the same owner alone."""
    new = _beside(path, f".{secrets.token_hex(4)}.new")
    real = path.resolve()
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            _keep_owner(real, file.fileno())
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(real)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    folder = os.open(real.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _keep_owner(path: Path, descriptor: int) -> None:
    """Let the file stay readable for whom it was, also when root changes it."""
    if path.exists() and path.stat().st_uid != os.geteuid():
        old = path.stat()
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            raise KeyMissing(f"{path} belongs to another user") from None


def _random() -> str:
    return base64.b64encode(secrets.token_bytes(keyring.SHORTEST)).decode()
