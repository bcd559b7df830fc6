"""How far a replica is behind, so that nobody reads what is too old.

Both databases are asked about once a second how far they are. What the replica has
caught up with tells from when on its answers may be wrong. If either falls silent,
that moment grows older, and the replica is used no more until it answers again.
"""

import logging
import threading
import time
from collections import deque
from datetime import timedelta

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from tradeboard.core.db import db

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
KEPT = 60  # Looks; an older one would help no reader.
UNUSED_AFTER = 30.0
AFTER_FAILURE = timedelta(seconds=10)

# What was not flushed yet counts, too: a commit may not wait for it.
WRITTEN = text("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")
REPLAYED = text(
    "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') WHERE pg_is_in_recovery()"
)


class Watch:
    """Knows how old the answers of the replica may be."""

    def __init__(self, primary: Engine, replica: Engine):
        self.primary, self.replica = primary, replica
        self._lock = threading.Lock()
        self._written: deque[tuple[float, int]] = deque(maxlen=KEPT)
        self._right_until: float | None = None
        self._out_until = 0.0
        self._asked_at = 0.0
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """Ask both how far they are; an answer that does not come changes nothing."""
        at = time.monotonic()
        if (written := _position(self.primary, WRITTEN)) is not None:
            self._written.append((at, written))
        replayed = _position(self.replica, REPLAYED)
        if replayed is None:
            return
        caught_up = [at for at, written in self._written if written <= replayed]
        if caught_up:
            self._right_until = max(caught_up)

    def lag(self) -> timedelta | None:
        """Return how old the replica's answers may be, or None if nobody knows."""
        if self._right_until is None:
            return None
        return timedelta(seconds=time.monotonic() - self._right_until)

    def may_answer(self, within: timedelta) -> bool:
        """Tell whether its answers are younger than that; keeps the watch awake."""
        self._asked_at = time.monotonic()
        self._wake()
        lag = self.lag()
        return lag is not None and lag < within and self._asked_at >= self._out_until

    def failed(self) -> None:
        """Use the replica no more for a while: it did not answer."""
        self._out_until = time.monotonic() + AFTER_FAILURE.total_seconds()

    def _wake(self) -> None:
        """Look in a thread of its own, so that no reader waits for it.

        It begins with the first reader, hence in the worker and not in its parent.
        """
        if self._thread is not None and self._thread.is_alive():
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def _run(self) -> None:
        pause = threading.Event()
        while time.monotonic() - self._asked_at < UNUSED_AFTER:
            self.look()
            pause.wait(LOOK_EVERY)


def _position(engine: Engine, question) -> int | None:
    try:
        with engine.connect() as connection:
            return connection.scalar(question)
    except SQLAlchemyError as error:
        log.warning("%s does not answer: %s", engine.url.host, type(error).__name__)
        return None


def watch_of_app() -> Watch:
    """Begin to watch the replica of the current application."""
    return Watch(db.engine, db.engines["replica"])
