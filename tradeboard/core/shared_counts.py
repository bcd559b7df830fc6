"""Counts in Redis or Valkey, which all hosts share; the table counts while it is away.

A count is never left out: what Redis cannot count at once, the table counts.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from limits.storage import RedisStorage, Storage

from tradeboard.core.counts import Count

# How long to wait for it, to connect and for an answer; together below half a second.
TIMEOUT = 0.2
# How long the table counts before Redis is asked again.
PAUSE = 5

SCHEMES = {
    "redis": "redis",
    "rediss": "rediss",
    "redis+unix": "redis+unix",
    "valkey": "redis",
    "valkeys": "rediss",
    "valkey+unix": "redis+unix",
}

log = logging.getLogger(__name__)


class SharedStorage(Storage):
    """Counts for the `limits` library: in Redis, or else in `table`."""

    STORAGE_SCHEME = ["tradeboard-shared"]

    def __init__(self, url: str, table: Storage, *, pause: float = PAUSE):
        super().__init__()
        self._redis = connect(url)
        self._table = table
        self._host = urlsplit(url).hostname or "socket"
        self._pause = pause
        self._away = False
        self._ask_again_at = 0.0
        self._lock = threading.Lock()

    @property
    def base_exceptions(self):
        """Return what a broken table raises; a broken Redis raises nothing here."""
        return self._table.base_exceptions

    @property
    def away(self) -> bool:
        """Tell whether the table counts at the moment."""
        return self._away

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count once more and return the count."""
        return self._ask(lambda store: store.incr(key, expiry, amount), least=amount)

    def count_each(self, counts: Sequence[Count]) -> list[int]:
        """Count in turn until one is over its most."""
        found: list[int] = []
        for one in counts:
            found.append(self.incr(one.key, one.seconds, one.amount))
            if found[-1] > one.most:
                break
        return found

    def get(self, key: str) -> int:
        """Return the count, which is 0 when its time is over."""
        return self._ask(lambda store: store.get(key))

    def get_expiry(self, key: str) -> float:
        """Return when the count starts anew, in seconds since 1970."""
        return self._ask(lambda store: store.get_expiry(key))

    def check(self) -> bool:
        """Tell whether anything counts."""
        return self._ask(lambda store: store.get("")) == 0

    def reset(self) -> int | None:
        """Forget every count, here and there."""
        there = self._ask(lambda store: store.reset() or 0)
        return there + (self._table.reset() or 0)

    def clear(self, key: str) -> None:
        """Forget one count, where it is counted at the moment."""
        self._ask(lambda store: store.clear(key) or 0)

    def _ask(self, question: Callable[[Any], Any], *, least: float = 0) -> Any:
        if not self._may_ask():
            return question(self._table)
        try:
            answer = question(self._redis)
            if answer < least:
                raise ValueError("a count that does not grow")
        except Exception as error:
            self._note_away(error)
            return question(self._table)
        self._note_back()
        return answer

    def _may_ask(self) -> bool:
        """Let one at a time try whether it is back, and not too often."""
        if not self._away:
            return True
        with self._lock:
            now = time.monotonic()
            if now < self._ask_again_at:
                return False
            self._ask_again_at = now + self._pause
            return True

    def _note_away(self, error: Exception) -> None:
        with self._lock:
            was, self._away = self._away, True
            self._ask_again_at = time.monotonic() + self._pause
        if not was:
            kind = type(error).__name__
            log.warning("Redis at %s: %s; the table counts", self._host, kind)

    def _note_back(self) -> None:
        if not self._away:
            return
        with self._lock:
            was, self._away = self._away, False
        if was:
            log.warning("Redis at %s counts again", self._host)


def connect(url: str) -> RedisStorage:
    """Return counts in Redis; nothing is asked of it yet."""
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    scheme, _, rest = url.partition("://")
    options: dict[str, Any] = {
        "socket_connect_timeout": TIMEOUT,
        "socket_timeout": TIMEOUT,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
    }
    known = f"{SCHEMES[scheme]}://{rest}"
    return RedisStorage(known, key_prefix="tradeboard", **options)
