"""G6: a scheduler that fails is seen, and heals without anybody's help."""

import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from flask import Flask

from tests import sizes
from tests.soaks import guarantees, hurried
from tests.soaks.boards import environment_of
from tests.soaks.children import Child, fork
from tests.soaks.hurried import LEAVE, RAISE, TICK, Folder
from tests.tools import faultproxy
from tradeboard.app import create_app
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.scheduler import clockwatch
from tradeboard.web import health

SEEN_WITHIN, HEALED_WITHIN = 3 * TICK, 2 * TICK
# A busy machine takes its time to let a process run at all.
GRACE = 1.0
PATIENCE = 30.0
LOOK_EVERY = 0.02
AWAY_S = 60.0
AN_HOUR = timedelta(hours=1)
DATABASE_NAMES = ("SECRET_KEY", "KEYRING", "UPLOADS", "AUDIT_ANCHORS")


@dataclass
class Watch:
    """A scheduler under a supervisor that starts it again, and what the page says."""

    app: Flask
    folder: Folder
    served: Flask
    child: Child
    off: timedelta = timedelta(0)
    starts: int = 1
    found: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)

    @property
    def is_red(self) -> bool:
        """Tell what `/healthz/scheduler` says now."""
        if self.child.poll() is not None:
            self.child = start(self.served, self.folder)
            self.starts += 1
        db.session.rollback()
        with patch.object(clock, "now", lambda: datetime.now(UTC) + self.off):
            answer = self.app.test_client().get("/healthz/scheduler")
        return answer.status_code != 200

    def until(self, red: bool, seconds: float) -> float | None:
        """Wait until it is red, or green; return how long that took."""
        began = time.monotonic()
        while (waited := time.monotonic() - began) < seconds:
            if self.is_red is red:
                return round(waited, 2)
            time.sleep(LOOK_EVERY)
        return None

    def set_clock(self, shift: timedelta, *, with_page: bool) -> None:
        """Let the scheduler's clock jump; on one machine that of the page as well."""
        self.folder.set_clock(shift)
        self.child.signal(signal.SIGUSR1)
        self.off = shift if with_page else timedelta(0)


Fault = Callable[[Watch], tuple[float | None, float | None]]


def start(app: Flask, folder: Folder, *, patient: bool = False) -> Child:
    """Start a scheduler in a process of its own."""
    return fork(lambda: hurried.run(app, folder, patient=patient))


def run(app: Flask, *, quick: bool) -> dict:
    """Let it fail in some ways, one after the other; measure each time."""
    began = time.monotonic()
    number = sizes.size("G6", quick=quick)
    kind = db.engine.dialect.name
    with (
        TemporaryDirectory(prefix="tb-") as name,
        patch.object(health, "RED_AFTER", timedelta(seconds=SEEN_WITHIN)),
        serving(app, Path(name), through_wire=not quick) as (served, away),
    ):
        folder = Folder(Path(name))
        watch = Watch(app, folder, served, start(served, folder))
        try:
            for title, fault in faults(kind, away)[:number]:
                if watch.until(False, PATIENCE) is None:
                    raise TimeoutError(f"the scheduler is not well before: {title}")
                watch.found[title] = fault(watch)
        finally:
            end(watch.child)
    late = {
        title: took
        for title, took in watch.found.items()
        if _too_long(took[0], SEEN_WITHIN) or _too_long(took[1], HEALED_WITHIN)
    }
    for title, took in late.items():
        print(f"{title}: seen after {took[0]} s, healed after {took[1]} s")
    return guarantees.report(
        guarantee="G6",
        db=kind,
        size=sizes.name(quick=quick),
        n=len(watch.found),
        violations=len(late),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        detect_s={title: took[0] for title, took in watch.found.items()},
        recover_s={title: took[1] for title, took in watch.found.items()},
        tick_s=TICK,
        starts=watch.starts,
    )


def end(child: Child) -> None:
    """End a scheduler as its supervisor does."""
    child.signal(signal.SIGCONT)
    child.signal(signal.SIGTERM)
    try:
        child.wait(20)
    except TimeoutError:
        print("the scheduler had to be killed")


def _too_long(took: float | None, limit: float) -> bool:
    return took is None or took > limit + GRACE


def faults(kind: str, away: Callable) -> list[tuple[str, Fault]]:
    """Return each fault by its name, the quick ones first."""
    with_page = kind == "sqlite"
    return [
        ("stopped", _stopped),
        ("job raises", lambda watch: _said(watch, RAISE)),
        ("job leaves", lambda watch: _said(watch, LEAVE)),
        ("database away", lambda watch: _away(watch, away)),
        ("clock back", lambda watch: _back(watch, with_page)),
        ("clock forward", lambda watch: _forward(watch, with_page)),
    ]


def _stopped(watch: Watch):
    child = watch.child
    child.signal(signal.SIGSTOP)
    seen = watch.until(True, PATIENCE)
    child.signal(signal.SIGCONT)
    return seen, watch.until(False, PATIENCE)


def _said(watch: Watch, fault: str):
    watch.folder.say(fault)
    seen = watch.until(True, PATIENCE)
    watch.folder.say("")
    return seen, watch.until(False, PATIENCE)


def _away(watch: Watch, away: Callable):
    """Take the database away from the scheduler for a minute."""
    with away():
        began = time.monotonic()
        seen = watch.until(True, PATIENCE)
        while time.monotonic() - began < AWAY_S:
            _ = watch.is_red  # which lets the supervisor start it again
            time.sleep(0.2)
    return seen, watch.until(False, PATIENCE)


def _back(watch: Watch, with_page: bool):
    """Set the clock back; where the database has its own, until it is right again."""
    watch.set_clock(-AN_HOUR, with_page=with_page)
    seen = watch.until(True, PATIENCE)
    if not with_page:
        watch.set_clock(timedelta(0), with_page=with_page)
        _let_it_believe(watch)
    return seen, watch.until(False, PATIENCE)


def _forward(watch: Watch, with_page: bool):
    """Set the clock forward: it is not believed for a while, or until it is right."""
    before = watch.folder.shift()
    watch.set_clock(before + AN_HOUR, with_page=with_page)
    seen = watch.until(True, PATIENCE)
    if not with_page:
        watch.set_clock(before, with_page=with_page)
    _let_it_believe(watch)
    return seen, watch.until(False, PATIENCE)


def _let_it_believe(watch: Watch) -> None:
    """Wait as long as a clock that jumped forward is not believed."""
    share = clockwatch.BELIEVED_AFTER.total_seconds() * hurried.SHARE
    until = time.monotonic() + share
    while time.monotonic() < until:
        _ = watch.is_red
        time.sleep(LOOK_EVERY)


@contextmanager
def serving(app: Flask, folder: Path, *, through_wire: bool) -> Iterator:
    """Return the application of the scheduler, and how to take its database away."""
    if app.config["DATABASE_URL"].startswith("sqlite"):
        yield app, lambda: _locked(str(db.engine.url.database))
        return
    if not through_wire:
        yield app, None
        return
    url = app.config["DATABASE_URL"]
    upstream, listen, through = faultproxy.before_postgresql(url, folder)
    settings = {name: app.config[name] for name in DATABASE_NAMES}
    assert environment_of(app)
    with faultproxy.proxying(upstream, listen) as wire:
        yield (
            create_app(TESTING=True, **settings, DATABASE_URL=through),
            lambda: _cut(wire),
        )


@contextmanager
def _cut(wire: faultproxy.Wire) -> Iterator[None]:
    wire.fault = faultproxy.reset
    wire.cut()
    try:
        yield
    finally:
        wire.fault = faultproxy.passes


@contextmanager
def _locked(file: str) -> Iterator[None]:
    """Let another process have the file for itself, so that nobody else writes."""
    with closing(sqlite3.connect(file, timeout=20, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
