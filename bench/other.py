"""Cases beside pages and forms: the sweep, the start of a worker, and its memory."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import islice
from statistics import median
from typing import Any

from sqlalchemy import case, insert, select

from bench import data, limit_tables
from bench.asking import READING
from bench.databases import ROOT
from bench.load import Ask, run
from bench.measure import CONNECTIONS, Failed, Figures, Setting, expect
from bench.serving import WORKERS, Server, served
from bench.world import DAY_S, ROUNDS, SLOT_S
from tradeboard.trades.models import Trade

MOST_REQUESTS = 10_000
PAGE = "/page/24/30000"


def sweep(setting: Setting) -> Figures:
    """End overdue trades among all that are open, each round other ones."""
    _fill_limit(setting)
    ours, least = [], []
    for turn in range(min(setting.options.rounds, ROUNDS)):
        at = setting.world.slot_at(turn)
        ours.append(_turn(setting, "sweep", at))
        least.append(_turn(setting, "limit", at))
    for found in (*ours, *least):
        if found["done"] != setting.world.slot or found.get("failed"):
            raise Failed(f"sweep: {found}, not {setting.world.slot} trades")
    took, limit_took = (median(f["seconds"] for f in all) for all in (ours, least))
    number = setting.world.slot
    return _figures(
        setting,
        "sweep",
        rps=number / took,
        p50_ms=took * 1000,
        p99_ms=max(f["seconds"] for f in ours) * 1000,
        statements=median(f["statements"] for f in ours),
        limit_rps=number / limit_took,
        ratio=limit_took / took,
        trades=number,
        rss_growth_mb=max(f["rss_growth_mb"] for f in ours),
    )


def sweep_idle(setting: Setting) -> Figures:
    """Look for overdue trades when there are none."""
    _fill_limit(setting)
    at = setting.world.before_any_is_due()
    ours, least = _turn(setting, "idle", at), _turn(setting, "limit_idle", at)
    return _figures(
        setting,
        "sweep_idle",
        rps=1000 / ours["p50_ms"],
        p50_ms=ours["p50_ms"],
        p99_ms=ours["p99_ms"],
        limit_rps=1000 / least["p50_ms"],
        ratio=least["p50_ms"] / ours["p50_ms"],
    )


def start(setting: Setting) -> Figures:
    """Start one worker, and wait for its first page; the host has had one before."""
    ours, least = [], []
    _started(setting, "bench.wsgi", "/")
    for _ in range(setting.options.rounds):
        ours.append(_started(setting, "bench.wsgi", "/"))
        least.append(_started(setting, "bench.limit", PAGE))
    took, limit_took = median(ours), median(least)
    return _figures(
        setting,
        "start",
        rps=1 / took,
        p50_ms=took * 1000,
        p99_ms=max(ours) * 1000,
        limit_rps=1 / limit_took,
        ratio=limit_took / took,
    )


def memory(setting: Setting) -> Figures:
    """Ask for pages of every kind, and look at the larger worker."""
    is_short = setting.options.rounds == 1
    number = MOST_REQUESTS // 20 if is_short else MOST_REQUESTS
    with served("bench.wsgi", setting.environment, "/healthz") as server:
        begun = server.memory_mb()
        asks = islice(_every(setting), number)
        found = run(server.port, asks, connections=CONNECTIONS, seconds=600)
        expect("memory", found)
        reached = server.memory_mb()
    return _figures(
        setting,
        "memory",
        rps=found.rps,
        p50_ms=found.percentile(0.5),
        p99_ms=found.percentile(0.99),
        rss_mb=round(reached, 1),
        rss_begun_mb=round(begun, 1),
        requests=len(found.accepted),
        workers=WORKERS,
    )


# The sweep is last, since whom it lists is shown no more.
OTHER: dict[str, Callable[[Setting], Figures]] = {
    found.__name__: found for found in (start, memory, sweep_idle, sweep)
}


def measured(setting: Setting, cases: Iterable[str]) -> Iterator[Figures]:
    """Measure the other cases, in the order in which they stand."""
    wanted = set(cases)
    for name, measure in OTHER.items():
        if name in wanted:
            yield measure(setting)


def _every(setting: Setting) -> Iterator[Ask]:
    """Ask for something of every case of reading in turn."""
    asks = [begin(setting.people) for begin in READING.values()]
    while True:
        yield from map(next, asks)


def _started(setting: Setting, module: str, path: str) -> float:
    server = Server(module, setting.environment, workers=1)
    try:
        server.wait_for(path)
        return server.started_s
    finally:
        server.stop()


def _turn(setting: Setting, turn: str, at: datetime) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.turn", turn, at.isoformat()],
        cwd=ROOT,
        env={**os.environ, **setting.environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Failed(f"{turn}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _fill_limit(setting: Setting) -> None:
    """Give the limit as many trades, due as ours are."""
    trades, world = limit_tables.trades, setting.world
    with data.written(setting.app) as connection:
        if connection.scalar(select(trades.c.id).limit(1)):
            return
        base, number = int(world.at.timestamp()), Trade.id - 1
        overdue = base - (ROUNDS - number // world.slot) * SLOT_S
        due = case((Trade.id <= ROUNDS * world.slot, overdue), else_=base + DAY_S)
        made = select(Trade.id, Trade.state, due).where(Trade.id <= world.size)
        names = ["id", "state", "due_s"]
        connection.execute(insert(trades).from_select(names, made))


def _figures(setting: Setting, name: str, **values: Any) -> Figures:
    named = ("rps", "p50_ms", "p99_ms", "statements", "limit_rps", "ratio")
    known = {key: values.pop(key, None) for key in named}
    return Figures(
        case=name,
        db=setting.databases.kind,
        size=setting.world.size,
        more=values,
        **known,
    )
