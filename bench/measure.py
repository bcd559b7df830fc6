"""Measure one world on one database: rounds of the board and of the limit in turn."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from flask import Flask

from bench import asking, cast, data, limit_tables, trading
from bench.asking import READING, Cast
from bench.databases import Database
from bench.load import Ask, Run, run
from bench.serving import WORKERS, Server, served
from bench.world import World

READERS = 400
CONNECTIONS = 8
BOARD_PAUSE_S = 0.5
LIMIT_FACTOR = "1000000"
HEADER = "X-Statements"


@dataclass(frozen=True)
class Options:
    """How long and how often each case is measured."""

    rounds: int = 5
    seconds: float = 3.0
    counted: int = 12  # In so many requests statements are counted.

    @property
    def warm_s(self) -> float:
        """Return how long a server is warmed up for each case."""
        return min(0.4, self.seconds / 3)


@dataclass
class Setting:
    """Everything that a case stands on while its world is lent out."""

    app: Flask
    databases: Database
    world: World
    url: str
    options: Options
    people: Cast

    @property
    def environment(self) -> dict[str, str]:
        """Return what the servers are told."""
        named = {
            f"TRADEBOARD_{name}": value
            for name, value in data.settings(self.url).items()
        }
        return {
            **named,
            "TRADEBOARD_LIMIT_FACTOR": LIMIT_FACTOR,
            "BENCH_LIMIT_URL": self.app.config["SQLALCHEMY_DATABASE_URI"],
            "PYTHONPATH": os.pathsep.join(filter(None, ["", os.getcwd()])),
        }


@contextmanager
def lent(databases: Database, size: int, options: Options) -> Iterator[Setting]:
    """Lend a copy of a world with people who ask; it is dropped afterwards."""
    world = data.ensure(databases, size)
    name = f"run_{os.getpid()}"
    databases.copy(data.world_name(size), name)
    try:
        with data.application(databases.url(name)) as app:
            with data.written(app) as connection:
                limit_tables.tables.create_all(connection)
            readers = cast.join(app, world, READERS)
            rooms = cast.trade(app, world, readers, READERS // 2, trading.ONE_SENT)
            people = Cast(world, readers, rooms, cast.add_key(app))
            yield Setting(app, databases, world, databases.url(name), options, people)
    finally:
        databases.drop(name)


@dataclass
class Figures:
    """The figures of a case, as its line has them."""

    case: str
    db: str
    size: int
    rps: float
    p50_ms: float
    p99_ms: float
    statements: float | None
    limit_rps: float | None
    ratio: float | None
    more: dict[str, Any]

    def line(self) -> dict[str, Any]:
        """Return what is printed as JSON."""
        named = {key: value for key, value in vars(self).items() if key != "more"}
        rounded = {
            key: round(value, 3) if isinstance(value, float) else value
            for key, value in named.items()
        }
        return {**rounded, **self.more}


class Failed(RuntimeError):
    """A server refused what it had to answer, or lost what it had acknowledged."""


def reading(setting: Setting, cases: Iterable[str]) -> Iterator[Figures]:
    """Measure cases that change nothing."""
    wanted = [case for case in cases if case in READING]
    if not wanted:
        return
    asks = {case: READING[case](setting.people) for case in wanted}
    statements = counted(setting, asks)
    with both(setting) as (board, limit):
        for case in wanted:
            seconds = setting.options.warm_s
            size = warm(case, board, asks[case], seconds)
            least = asking.limit_of(case, size, setting.world)
            warm(f"the limit of {case}", limit, least, seconds)
            figures = compare(
                setting, case, (board, asks[case]), (limit, least), statements
            )
            if case == "board":
                figures.more |= _made_anew(setting, board)
            yield figures


def _made_anew(setting: Setting, board: Server) -> dict[str, Any]:
    """Measure the first page once more, without what is kept for visitors."""
    found = Rounds(board, asking.board_anew(setting.people))
    for _ in range(setting.options.rounds):
        found.measure("board", setting.options.seconds)
    figures = {
        "anew_rps": found.rps,
        "anew_p50_ms": found.ms(0.5),
        "anew_cpu_ms": found.cpu_ms,
    }
    return {key: round(value, 3) for key, value in figures.items()}


@contextmanager
def both(setting: Setting, workers: int = WORKERS) -> Iterator[tuple[Server, Server]]:
    """Serve the board and the limit side by side; one of the two idles."""
    with ExitStack() as stack:
        environment = setting.environment
        yield (
            stack.enter_context(served("bench.wsgi", environment, "/healthz", workers)),
            stack.enter_context(
                served("bench.limit", environment, "/page/1/1", workers)
            ),
        )


def warm(case: str, server: Server, asks: Iterator[Ask], seconds: float) -> int:
    """Let a server answer for a moment; return how long its answers are."""
    found = run(server.port, asks, connections=CONNECTIONS, seconds=seconds)
    expect(case, found)
    return found.size


def expect(case: str, found: Run) -> None:
    """Stop at answers that are errors: they would be measured as answers."""
    if found.errors:
        raise Failed(f"{case}: {found.errors} errors, first: {found.refused[:1500]}")


@dataclass
class Rounds:
    """What one server answered in its rounds, and how long its workers were at it."""

    server: Server
    asks: Iterator[Ask]
    runs: list[Run] = field(default_factory=list)
    processor_s: float = 0.0

    def measure(self, case: str, seconds: float) -> None:
        """Measure one round more."""
        before = self.server.processor_s()
        answers = run(
            self.server.port, self.asks, connections=CONNECTIONS, seconds=seconds
        )
        self.processor_s += self.server.processor_s() - before
        expect(case, answers)
        self.runs.append(answers)

    @property
    def rps(self) -> float:
        """Return the usual rate."""
        return median(answers.rps for answers in self.runs)

    @property
    def cpu_ms(self) -> float:
        """Return the processor time of a worker for one answer."""
        answered = sum(len(answers.took) for answers in self.runs)
        return self.processor_s / max(1, answered) * 1000

    def ms(self, share: float) -> float:
        """Return within how many milliseconds that share was usually answered."""
        return median(answers.percentile(share) for answers in self.runs)


def compare(
    setting: Setting,
    case: str,
    board: tuple[Server, Iterator[Ask]],
    limit: tuple[Server, Iterator[Ask]],
    statements: dict[str, float],
    check: Callable[[list[int]], None] = lambda _tags: None,
) -> Figures:
    """Measure board and limit in turns, and take the medians."""
    ours, least = Rounds(*board), Rounds(*limit)
    for _ in range(setting.options.rounds):
        for server in (ours, least):
            server.measure(case, setting.options.seconds)
    check([tag for answers in ours.runs for tag in answers.accepted])
    more = {
        "cpu_ms": ours.cpu_ms,
        "limit_cpu_ms": least.cpu_ms,
        "limit_p50_ms": least.ms(0.5),
        "bytes": float(ours.runs[-1].size),
    }
    return Figures(
        case=case,
        db=setting.databases.kind,
        size=setting.world.size,
        rps=ours.rps,
        p50_ms=ours.ms(0.5),
        p99_ms=ours.ms(0.99),
        statements=statements.get(case),
        limit_rps=least.rps,
        ratio=ours.rps / least.rps,
        more={key: round(value, 3) for key, value in more.items()},
    )


def counted(setting: Setting, asks: dict[str, Iterator[Ask]]) -> dict[str, float]:
    """Count statements of each case in a server that is asked one at a time."""
    found: dict[str, float] = {}
    environment = {**setting.environment, "BENCH_COUNT": "1"}
    with served("bench.wsgi", environment, "/healthz", workers=1) as server:
        for case, some in asks.items():
            _statements(server, some, 3)
            pause = BOARD_PAUSE_S if case == "board" else 0.0
            seen = _statements(server, some, setting.options.counted, pause)
            # What a visitor is shown may be kept for a moment: the rest counts.
            found[case] = max(seen) if case == "board" else median(seen)
    return found


def _statements(server: Server, asks, count: int, pause: float = 0.0) -> list[int]:
    seen = []
    for _ in range(count):
        answers = run(server.port, iter([next(asks)]), connections=1, seconds=30)
        expect("counting", answers)
        seen.append(int(answers.header(HEADER)))
        time.sleep(pause)
    return seen
