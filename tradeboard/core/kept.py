"""What a process keeps for some seconds, so that not every page asks for it anew."""

import time
from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakSet

Key = TypeVar("Key")
Value = TypeVar("Value")

_all: "WeakSet[Kept]" = WeakSet()


class Kept(Generic[Key, Value]):
    """A bounded number of values, each for some seconds since it was asked for.

    `most_bytes` bounds what they hold together, as far as their keepers say.
    """

    def __init__(self, seconds: float, most: int, most_bytes: int = 0):
        self.seconds, self.most, self.most_bytes = seconds, most, most_bytes
        self._rows: OrderedDict[Key, tuple[float, int, Value]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        _all.add(self)

    def find(self, key: Key, *, at: float | None = None) -> Value | None:
        """Return what is kept and young enough at a monotonic instant, or None."""
        at = time.monotonic() if at is None else at
        row = self._rows.get(key)
        if row is None or not 0 <= at - row[0] <= self.seconds:
            return None
        return row[2]

    def keep(self, key: Key, value: Value, *, asked_at: float, size: int = 0) -> None:
        """Keep a value; its age counts from before it was asked for."""
        if self.most_bytes and size > self.most_bytes:
            return
        with self._lock:
            self._drop(key)
            self._rows[key] = (asked_at, size, value)
            self._bytes += size
            while len(self._rows) > self.most or self._bytes > self.most_bytes > 0:
                self._drop(next(iter(self._rows)))

    def forget(self) -> None:
        """Keep nothing of what was asked for before."""
        with self._lock:
            self._rows.clear()
            self._bytes = 0

    def _drop(self, key: Key) -> None:
        row = self._rows.pop(key, None)
        if row is not None:
            self._bytes -= row[1]


def forget_all() -> None:
    """Ask for everything anew, as a process that has just begun."""
    for kept in list(_all):
        kept.forget()
