"""G5: any number of schedulers and web workers; each turn is taken once."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import Flask
from sqlalchemy import func, select

from tests import sizes
from tests.soaks import failing, fields, guarantees, kills, overdue
from tests.soaks.boards import ROOT, environment_of
from tests.soaks.children import Child
from tests.soaks.fields import A_DAY, Plot
from tests.soaks.hurried import TICK, Folder
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

QUICK_SCHEDULERS, SOAK_SCHEDULERS = 2, 3
TRADES_A_TICK = 2
LEAD_S = 1.0
PATIENCE, STARTS_WITHIN = 60.0, 240.0
# A turn is free again after nine tenths of its interval; clocks are read twice.
CLOSEST = 0.85 * TICK

WEB = {
    "gunicorn": ["gunicorn", "-w", "4", "wsgi:app", "--bind"],
    "gunicorn --preload": ["gunicorn", "--preload", "-w", "4", "wsgi:app", "--bind"],
    "reloader": ["flask", "--app", "wsgi", "run", "--debug", "--port"],
}


def run(app: Flask, *, quick: bool) -> dict:
    """Let several work beside each other for some ticks, and count what is double."""
    began = time.monotonic()
    ticks = sizes.size("G5", quick=quick)
    number = QUICK_SCHEDULERS if quick else SOAK_SCHEDULERS
    with TemporaryDirectory(prefix="tb-") as name, ExitStack() as stack:
        folder = Folder(Path(name))
        ports = [
            stack.enter_context(serving(app, title)) for title in ({} if quick else WEB)
        ]
        world = plant(ticks * TRADES_A_TICK, ticks * TICK)
        children = [failing.start(app, folder, patient=True) for _ in range(number)]
        try:
            undone = _wait(len(world.overdue), ticks, folder)
            answers = [ask(port) for port in ports]
        finally:
            for child in children:
                child.signal(signal.SIGTERM)
            codes = [_end(child) for child in children]
        runs = folder.runs()
    found = kills.check(world)
    pids = {child.pid for child in children}
    wrong = {
        "undone": undone,
        "dup": found["dup"] + _too_close(runs),
        "orphans": found["orphans"] + found["wrong"] + found["chain"],
        "strangers": _strangers(pids),
        "ended_badly": sum(code != 0 for code in codes) + answers.count(False),
    }
    return guarantees.report(
        guarantee="G5",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=number,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        ticks=len(runs),
        took_turns=len({pid for _, pid in runs}),
        web=len(ports),
        trades=len(world.overdue),
        **wrong,
    )


def plant(number: int, seconds: float) -> overdue.World:
    """Make trades that fall due one after the other while the schedulers run."""
    world = overdue.World()
    begin = clock.now() + timedelta(seconds=LEAD_S)
    plots = [
        Plot(begin + timedelta(seconds=n * seconds / number) - 14 * A_DAY)
        for n in range(number)
    ]
    for planted in fields.plant(plots):
        world.overdue.add(planted.trade)
        poster, proposer = planted.people
        held, listed = (
            ("counterparty_in_default", "held"),
            ("never_dispatched", "listed"),
        )
        world.entries[planted.trade, poster] = held
        world.entries[planted.trade, proposer] = listed
    return world


def _wait(number: int, ticks: int, folder: Folder) -> int:
    """Wait until the ticks have passed; return how many trades nobody has ended.

    On a busy machine a turn may come late; there are as many all the same.
    """
    time.sleep(LEAD_S + ticks * TICK)
    until = time.monotonic() + PATIENCE + ticks * TICK * 10
    while time.monotonic() < until:
        left = number - _defaulted()
        if not left and len(folder.runs()) >= ticks:
            return 0
        time.sleep(TICK)
    return max(left, ticks - len(folder.runs()))


def _defaulted() -> int:
    db.session.rollback()
    found = select(func.count(Trade.id)).where(Trade.state == TradeState.DEFAULTED)
    number = db.session.scalar(found) or 0
    db.session.rollback()
    return number


def _too_close(runs: list[tuple[float, int]]) -> int:
    """Count the turns that two took at once."""
    pairs = zip(runs, runs[1:], strict=False)
    return sum(after[0] - before[0] < CLOSEST for before, after in pairs)


def _strangers(pids: set[int]) -> int:
    """Count the jobs that a process did which is no scheduler, such as a web worker."""
    db.session.rollback()
    hosts = db.session.scalars(select(JobRun.host)).all()
    return sum(int((host or ":0").rpartition(":")[2]) not in pids for host in hosts)


def _end(child: Child) -> int:
    try:
        return child.wait(30)
    except TimeoutError:
        return -1


@contextmanager
def serving(app: Flask, title: str) -> Iterator[int]:
    """Serve the board as a documented server does; return its port."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program, *arguments = WEB[title]
    address = str(port) if program == "flask" else f"127.0.0.1:{port}"
    environment = environment_of(app) | {
        "TRADEBOARD_DEMO": "false",
        "TRADEBOARD_PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", program, *arguments, address],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # The reloader leaves its child alone when it ends.
    )
    try:
        until = time.monotonic() + STARTS_WITHIN
        while not ask(port):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{title} does not serve")
            time.sleep(0.2)
        yield port
    finally:
        _end_all(process)


def _end_all(process: subprocess.Popen) -> None:
    """End a server with all that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)


def ask(port: int) -> bool:
    """Tell whether a server serves the board."""
    with (
        suppress(OSError, http.client.HTTPException),
        closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as there,
    ):
        there.request("GET", "/healthz")
        return there.getresponse().status == 200
    return False
