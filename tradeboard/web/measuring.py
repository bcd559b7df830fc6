"""Figures of all processes of one host, kept in files that they share.

Each process counts in files of its own below one folder; whichever is asked adds up.
What processes counted that have ended is folded into one file, so that sums only grow.
"""

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    values,
)
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import Engine, event

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
LOCK = "lock"
ENDED = "0"  # No process has this number.

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
STATEMENTS = (0, 1, 2, 3, 4, 6, 8, 12, 20, 40)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Figures:
    """What this process counts, and how to read what all count."""

    def __init__(self, folder: Path, engine: Engine):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder
        os.environ[FOLDER] = str(folder)
        if not values.ValueClass._multiprocess:
            values.ValueClass = values.MultiProcessValue()
        own = CollectorRegistry()
        self.requests = Counter(
            "tradeboard_requests",
            "Requests by route, method and class of status.",
            ("route", "method", "status"),
            registry=own,
        )
        self.seconds = Histogram(
            "tradeboard_request_seconds",
            "How long a request took, by route.",
            ("route",),
            buckets=SECONDS,
            registry=own,
        )
        self.statements = Histogram(
            "tradeboard_request_statements",
            "How many statements a request asked of the database, by route.",
            ("route",),
            buckets=STATEMENTS,
            registry=own,
        )
        self.throttled = Counter(
            "tradeboard_throttled",
            "Requests that were refused because of a limit, by its name.",
            ("limit",),
            registry=own,
        )
        self.connections = Gauge(
            "tradeboard_db_connections_in_use",
            "Connections to the database that are in use.",
            registry=own,
            multiprocess_mode="livesum",
        )
        self.connections.set(engine.pool.checkedout())  # type: ignore[attr-defined]  # of queues
        event.listen(engine, "checkout", lambda *_: self.connections.inc())
        event.listen(engine, "checkin", lambda *_: self.connections.dec())

    def count(
        self,
        route: str,
        method: str,
        status: int,
        *,
        seconds: float,
        statements: int,
        limit: str | None,
    ) -> None:
        """Count one request."""
        method = method if method in METHODS else "other"
        self.requests.labels(route, method, f"{status // 100}xx").inc()
        self.seconds.labels(route).observe(seconds)
        self.statements.labels(route).observe(statements)
        if limit is not None:
            self.throttled.labels(limit).inc()

    def text(self, *more: Collector) -> bytes:
        """Return the figures of all processes, and some more, as Prometheus reads."""
        with self._alone():
            self._fold()
            registry = CollectorRegistry()
            MultiProcessCollector(registry, path=str(self.folder))
            for collector in more:
                registry.register(collector)
            return generate_latest(registry)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with (self.folder / LOCK).open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _fold(self) -> None:
        """Add what ended processes counted to what ended before."""
        for path in self.folder.glob("*.db"):
            kind, _, number = path.stem.rpartition("_")
            if number == ENDED or _is_alive(number):
                continue
            if not kind.startswith("gauge"):
                _add(path, self.folder / f"{kind}_{ENDED}.db")
            path.unlink(missing_ok=True)


def _add(path: Path, target: Path) -> None:
    sums = MmapedDict(str(target))
    try:
        read = MmapedDict.read_all_values_from_file(str(path))
        for key, value, at, _ in read:
            before, _ = sums.read_value(key)
            sums.write_value(key, before + value, at)
    finally:
        sums.close()


def _is_alive(number: str) -> bool:
    if not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class Once:
    """Makes the figures of a process when it first needs them; a fork makes its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._figures: Figures | None = None

    def get(self, folder: Path, engine: Engine) -> Figures:
        """Return the figures of this process."""
        if self._figures is None:
            with self._lock:
                if self._figures is None:
                    self._figures = Figures(folder, engine)
        return self._figures
