"""D8: nothing runs out while a hundred people read and write.

Threads of one process ask gunicorn as browsers do: board, search, listings, look-ups,
own pages, offers, messages. Beside them pool, memory, waiting transactions and the log
of the database are looked at.
"""

import random
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import psycopg

from tests import sizes
from tests.factories import make_account
from tests.soaks import guarantees, look_ups, serving
from tests.soaks.boards import environment_of, on_each_database
from tests.soaks.serving import Browser
from tests.trades.stages import items
from tests.worlds import make_listing
from tradeboard.accounts.models import Account
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades.services import negotiation

USERS, OWNERS, LISTINGS = 100, 20, 400
THREADS, WORKERS = 8, 2
PAUSE = 0.02
# As it is deployed: a browser that comes back finds its connection open.
SERVING = ("--threads", "4", "--keep-alive", "75")
LOOK_EVERY = 2.0
LONGEST_IDLE = timedelta(seconds=5)
MOST_WAL_MB, MOST_GROWTH_MB = 64, 32
SETTLED = 0.4  # After this part of the time, a worker has what it keeps.
A_MEGABYTE = 1 << 20
IDLE = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
AND state LIKE 'idle in transaction%%' AND now() - state_change > %s
"""


@dataclass
class Seen:
    """What the people and the one who looks on have seen."""

    secs: list[float] = field(default_factory=list)
    statuses: Counter = field(default_factory=Counter)
    memory: dict[int, list[tuple[float, int]]] = field(default_factory=dict)
    idle: int = 0
    wal_mb: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, secs: float, status: int | None) -> None:
        """Keep how one request went."""
        with self.lock:
            self.secs.append(secs)
            self.statuses[status] += 1


class Town:
    """A board with people, listings and trades, and what they ask for."""

    def __init__(self, app, port: int):
        ago = clock.now() - timedelta(days=90)
        people = [make_account(f"user{n}", created_at=ago) for n in range(USERS)]
        columns = {
            c.name: getattr(people[0], c.name) for c in Account.__table__.columns
        }
        look_ups.fill(columns, 0, 50)
        with transaction():
            listings = [
                make_listing(people[n % OWNERS], at=clock.now(), quantity=2)
                for n in range(LISTINGS)
            ]
            trades = [
                (n, negotiation.propose(
                    listings[n].id, items(listings[n]), "",
                    by=people[n], now=clock.now(),
                ).id)
                for n in range(OWNERS, USERS)
            ]  # fmt: skip
            self.lines = {listing.id: listing.lines[0].id for listing in listings}
        self.trades = dict(trades)
        self.browsers = [serving.sign_in(app, person, port) for person in people]
        self.visitor = [Browser(port) for _ in range(THREADS)]

    def act(self, thread: int, dice: random.Random) -> int | None:
        """Let somebody of this thread do something; return the status."""
        mine = range(thread, USERS, THREADS)
        n = dice.choice(mine)
        browser, listing = self.browsers[n], dice.choice(list(self.lines))
        kind = dice.random()
        if kind < 0.5:
            pages = ["/", "/?q=蒼天", f"/listings/{listing}", "/feed.atom", "/help"]
            pages += [
                f"/api/v1/blacklist/check?handle={look_ups.name(dice.randrange(80))}"
            ]
            return self.visitor[thread].get(dice.choice(pages)).status
        if kind < 0.85:
            pages = ["/", "/todo", "/trades", "/notices", "/me", "/matches"]
            pages += [f"/listings/{listing}", "/blacklist/list"]
            if n in self.trades:
                pages += [f"/trades/{self.trades[n]}", f"/trades/{self.trades[n]}/live"]
            return browser.get(dice.choice(pages)).status
        if kind < 0.93 and n in self.trades:
            path = f"/trades/{self.trades[n]}/messages"
            return browser.post(path, text=f"こんにちは {dice.random()}").status
        return browser.post(f"/listings/{listing}/offer", **self._offer(listing)).status

    def _offer(self, listing: int) -> dict[str, str]:
        return {
            "do": "send",
            "poster-0-line_id": str(self.lines[listing]),
            "poster-0-quantity": "1",
            "proposer-0-name": "紅蓮の騎士",
            "proposer-0-quantity": "1",
            "proposer-0-condition": "",
            "proposer-0-language": "",
        }


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    return on_each_database(
        lambda app, folder: run(app, environment_of(app), quick=quick)["violations"]
    )


def run(app, environment, *, quick: bool) -> dict:
    """Let them come and go for so long; report what ran out."""
    began, seed = time.monotonic(), guarantees.seed()
    seconds, seen = sizes.size("D8", quick=quick), Seen()
    with serving.served(environment, *SERVING, workers=WORKERS) as (_, port):
        town = Town(app, port)
        db.session.remove()
        watch = _watch(environment)
        until = time.monotonic() + seconds
        crowd = [
            threading.Thread(target=_come_and_go, args=(town, n, seed, until, seen))
            for n in range(THREADS)
        ]
        for thread in crowd:
            thread.start()
        while any(thread.is_alive() for thread in crowd):
            time.sleep(min(LOOK_EVERY, seconds / 10))
            _look(port, seen, watch)
        for thread in crowd:
            thread.join()
        left = max(inside["checkedout"] for inside in _inside(port))
        watch.close()
    faults = sum(n for status, n in seen.statuses.items() if (status or 500) >= 500)
    growth = _growth(seen, began)
    wrong = {
        "5xx": faults,
        "checkedout": left,
        "idle": seen.idle,
        "wal": int(seen.wal_mb >= MOST_WAL_MB),
        "rss": int(growth > MOST_GROWTH_MB),
    }
    return guarantees.report(
        guarantee="D8",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=len(seen.secs),
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        users=USERS,
        p95=round(1000 * statistics.quantiles(seen.secs, n=20)[-1], 1),
        wal_mb=round(seen.wal_mb, 1),
        rss_mb_growth=round(growth, 1),
        statuses={
            str(status): n for status, n in sorted(seen.statuses.items(), key=str)
        },
        **wrong,
    )


def _come_and_go(town: Town, number: int, seed: int, until: float, seen: Seen) -> None:
    dice = random.Random(seed + number)
    while time.monotonic() < until:
        start = time.monotonic()
        status = town.act(number, dice)
        seen.note(time.monotonic() - start, status)
        time.sleep(dice.uniform(0, 2 * PAUSE))


class _File:
    """Looks at the log of a SQLite file."""

    def __init__(self, file: Path):
        self.wal = Path(f"{file}-wal")

    def look(self) -> tuple[int, float]:
        """Return how many transactions wait idly, and how large the log is."""
        size = self.wal.stat().st_size if self.wal.exists() else 0
        return 0, size / A_MEGABYTE

    def close(self) -> None:
        """Leave nothing open."""


class _Server:
    """Looks at a PostgreSQL server."""

    def __init__(self, url: str):
        self.connection = psycopg.connect(url, autocommit=True)

    def look(self) -> tuple[int, float]:
        """Return how many transactions wait idly; its log is recycled by itself."""
        row = self.connection.execute(IDLE, [LONGEST_IDLE]).fetchone()
        return row[0] if row else 0, 0.0

    def close(self) -> None:
        """Leave nothing open."""
        self.connection.close()


def _watch(environment):
    url = environment["TRADEBOARD_DATABASE_URL"]
    if url.startswith("sqlite:///"):
        return _File(Path(url.removeprefix("sqlite:///")))
    return _Server(url)


def _look(port: int, seen: Seen, watch) -> None:
    idle, wal_mb = watch.look()
    seen.idle += idle
    seen.wal_mb = max(seen.wal_mb, wal_mb)
    for inside in _inside(port):
        found = seen.memory.setdefault(inside["pid"], [])
        found.append((time.monotonic(), inside["rss_kb"]))


def _inside(port: int) -> list[dict]:
    """Ask as often as it takes to hear of each worker, most likely."""
    answers = [Browser(port).get("/inside") for _ in range(2 * WORKERS)]
    return [answer.json() for answer in answers if answer.status == 200]


def _growth(seen: Seen, began: float) -> float:
    """Return how much a worker grew at most after it had settled, in MiB."""
    grown = [0.0]
    for found in seen.memory.values():
        settled = found[int(SETTLED * len(found)) :]
        grown.append((settled[-1][1] - settled[0][1]) / 1024)
    return max(grown)
