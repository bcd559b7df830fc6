"""Passwords: argon2id, a few at a time, the same effort for strangers."""

import base64
import os
import threading
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tradeboard.core.errors import Unknown

LONGEST_WAIT = 2.0
AT_ONCE = os.cpu_count() or 1


class _Holder:
    hasher = PasswordHasher(memory_cost=19456, time_cost=2, parallelism=1)
    nobodys: str | None = None


_turns = threading.BoundedSemaphore(AT_ONCE)


def init_app(app) -> None:
    """Set the cost."""
    _Holder.hasher = PasswordHasher(
        memory_cost=app.config["ARGON2_MEMORY"],
        time_cost=app.config["ARGON2_ROUNDS"],
        parallelism=1,
    )
    _Holder.nobodys = None


def hash_password(password: str) -> str:
    """Return what is stored instead of a password."""
    with turn():
        return _Holder.hasher.hash(password)


def verify(stored: str | None, password: str) -> bool:
    """Tell whether this is the password; without an account it takes as long."""
    with turn():
        try:
            return _Holder.hasher.verify(stored or _nobodys(), password) and bool(
                stored
            )
        except (VerificationError, InvalidHashError):
            return False


def needs_rehash(stored: str) -> bool:
    """Tell whether the cost has changed since it was stored."""
    return _Holder.hasher.check_needs_rehash(stored)


def _nobodys() -> str:
    """Return a hash that no password fits, at today's cost.

    It is drawn by lot, since making one would let the first stranger wait longer.
    """
    if _Holder.nobodys is None:
        cost = _Holder.hasher
        salt, hash = (_written(os.urandom(size)) for size in (16, 32))
        _Holder.nobodys = (
            f"$argon2id$v=19$m={cost.memory_cost},t={cost.time_cost},"
            f"p={cost.parallelism}${salt}${hash}"
        )
    return _Holder.nobodys


def _written(value: bytes) -> str:
    return base64.b64encode(value).decode().rstrip("=")


@contextmanager
def turn():
    """Wait for a core; whoever waits too long is asked to come back."""
    if not _turns.acquire(timeout=LONGEST_WAIT):
        raise Unknown(
            "いまログインや登録が混み合っています。少ししてからお試しください。"
        )
    try:
        yield
    finally:
        _turns.release()
