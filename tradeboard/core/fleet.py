"""Which processes serve this board, and whether they agree with each other.

Each says once a minute who it is: its release, the schema that it was built for, what
its keys are like, how far its clock is from the database's. No secret can be read from
what it says: of keys it is a short hash of a keyed hash.
"""

import hashlib
import hmac
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from importlib import metadata
from pathlib import Path

from flask import Flask, current_app
from sqlalchemy import JSON, delete, select, text
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core import clock, keyring
from tradeboard.core.db import INSERT, db, writing
from tradeboard.core.records import dataclass

log = logging.getLogger(__name__)

EVERY = timedelta(minutes=1)
AWAKE = 3 * EVERY
KEPT = timedelta(days=1)
MOST_APART = timedelta(seconds=2)
MIGRATIONS = Path(__file__).parents[1] / "migrations"


class Node(db.Model):
    """One process, as it last spoke of itself; `kind` is `web` or `scheduler`."""

    name: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    version: Mapped[str]
    revision: Mapped[str]
    keys: Mapped[dict[str, list[str]]] = mapped_column(JSON)
    prints: Mapped[str]
    apart_ms: Mapped[int]
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime] = mapped_column(index=True)


@dataclass(frozen=True)
class Difference:
    """What some processes say otherwise than the rest, and what to do about it."""

    what: str
    words: str
    remedy: str


def name() -> str:
    """Return what this process is called."""
    return f"{socket.gethostname()}:{os.getpid()}"


def report(kind: str, started_at: datetime) -> None:
    """Say who this process is, and forget those of yesterday."""
    apart = clock_apart()
    now = clock.now()
    ring = keyring.ring()
    said = {
        "kind": kind,
        "version": version(),
        "revision": revision_of_code(),
        "keys": {purpose: ring.kids(purpose) for purpose in sorted(ring.keys)},
        "prints": prints(ring, current_app.config["SECRET_KEY"]),
        "apart_ms": round(apart.total_seconds() * 1000),
        "started_at": started_at,
        "seen_at": now,
    }
    insert = INSERT[db.engine.dialect.name](Node).values(name=name(), **said)
    same = {"index_elements": [Node.name], "set_": said}
    token = writing.set(True)
    try:
        with db.engine.begin() as connection:
            connection.execute(insert.on_conflict_do_update(**same))
            connection.execute(delete(Node).where(Node.seen_at < now - KEPT))
    finally:
        writing.reset(token)


def prints(ring: keyring.Keyring, secret: str) -> str:
    """Return what differs when any key or the secret of cookies does."""
    parts = [hmac.digest(secret.encode(), b"fleet", "sha256")]
    for purpose in sorted(ring.keys):
        for kid in sorted(ring.keys[purpose]):
            parts.append(ring.mac(purpose, f"fleet {kid}", kid))
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


def clock_apart() -> timedelta:
    """Return by how much at least this clock and the database's differ; never < 0."""
    if db.engine.dialect.name != "postgresql":
        return timedelta(0)
    before = clock.now()
    there = db.session.scalar(text("SELECT clock_timestamp()"))
    after = clock.now()
    db.session.rollback()
    return max(before - there, there - after, timedelta(0))


@cache
def version() -> str:
    """Return which release this is."""
    return metadata.version("tradeboard")


@cache
def revision_of_code() -> str:
    """Return the newest revision that this release knows."""
    # They are named by their revisions, one after the other.
    files = (MIGRATIONS / "versions").glob("[0-9]*.py")
    return max(file.name.partition("_")[0] for file in files)


def awake(now: datetime) -> Sequence[Node]:
    """Return the processes that spoke lately, by name."""
    lately = select(Node).where(Node.seen_at > now - AWAKE)
    return db.session.scalars(lately.order_by(Node.kind, Node.name)).all()


def differences(nodes: Sequence[Node]) -> list[Difference]:
    """Return in what processes do not agree, and what is missing among them."""
    found = []
    for what, remedy in COMPARED.items():
        said = _by_answer(nodes, what)
        if len(said) > 1:
            words = "; ".join(f"{answer} on {who}" for answer, who in said.items())
            found.append(Difference(what, f"The {what} differs: {words}.", remedy))
    for node in nodes:
        if timedelta(milliseconds=node.apart_ms) > MOST_APART:
            words = f"The clock of {node.name} is {node.apart_ms / 1000:.1f} s off."
            found.append(Difference("clock", words, COMPARE_CLOCKS))
    if nodes and not any(node.kind == "scheduler" for node in nodes):
        words = "No scheduler has spoken for three minutes."
        found.append(Difference("scheduler", words, "Start one on some host."))
    return found


COMPARE_CLOCKS = "Set up chrony on every host and on the database's."
COMPARED = {
    "version": "An upgrade is under way, or stopped half-way: go on with it.",
    "revision": "An upgrade is under way, or stopped half-way: go on with it.",
    "keys": "Copy the newest keyring.json to every host.",
    "prints": "Give every host the same keyring.json and the same SECRET_KEY.",
}


def _by_answer(nodes: Iterable[Node], what: str) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    for node in nodes:
        said.setdefault(str(getattr(node, what)), []).append(node.name)
    return {answer: ", ".join(who) for answer, who in said.items()}


class Beacon:
    """Lets a process speak of itself once a minute, beside what it does."""

    def __init__(self, app: Flask, kind: str):
        self.app, self.kind = app, kind
        self._pid = 0
        self._lock = threading.Lock()

    def light(self) -> None:
        """Begin, once in each process: a thread does not live on in a fork."""
        if self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():
                self._pid = os.getpid()
                threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        pause, started_at = threading.Event(), clock.now()
        while True:
            self._speak(lambda: report(self.kind, started_at))
            pause.wait(EVERY.total_seconds())

    def _speak(self, say: Callable[[], None]) -> None:
        with self.app.app_context():
            try:
                say()
            except Exception as error:
                log.warning("not said who this is: %s", type(error).__name__)
            finally:
                db.session.remove()


def init_app(app: Flask) -> None:
    """Let each process that answers requests speak of itself; tests answer none."""
    if not app.testing:
        beacon = Beacon(app, "web")
        app.before_request(beacon.light)
