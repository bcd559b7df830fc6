"""M8: a new release host by host across a migration, under load: no answer fails.

The older release is the code of before the newest migration, if its history is here;
it serves with its own schema, then with the new one beside the new release.
"""

import io
import subprocess
import tarfile
import threading
import time
from collections import Counter
from pathlib import Path

import psycopg
import requests
from psycopg import sql
from psycopg.types.json import Json

from tests import sizes
from tests.factories import make_account
from tests.soaks import guarantees
from tests.soaks.boards import ROOT
from tests.soaks.hosts import parts
from tests.soaks.hosts.browsing import Browser, signed_in
from tests.soaks.hosts.world import WEB, World
from tradeboard.core.db import db

READERS, WRITERS = 2, 2
SETTLE_S = 1.0
EXPAND = "ALTER TABLE account ADD COLUMN kept_for_later text"
VERSIONS = "tradeboard/migrations/versions"
Answer = tuple[int, str]  # The status, and what was asked for.
NO_ANSWER: Answer = (599, "no answer")
# What is known of somebody who is signed in.
PERSONAL = ("account", "handle", "agreement", "session")
AS_THERE = """
    INSERT INTO {0} SELECT * FROM json_populate_recordset(NULL::{0}, %s)
"""


def run(world: World, *, quick: bool) -> dict:
    """Deploy once while people read and write, and count what failed."""
    began = time.monotonic()
    folder = world.network.folder / f"older{'-pooled' if world.pooled else ''}"
    # An older release may not know of poolers.
    older = None if world.pooled else older_release(folder)
    code, app = (older, "wsgi:app") if older else (ROOT, "")
    writers = _writers(world)
    if older:
        _go_back(world, older)
    hosts = [world.network.host(name) for name in WEB]
    world.start(*WEB, environment=world.environment, code=code, app=app)
    proxy = parts.Proxy(world.network, "front", *hosts)
    load = Load()
    readers = [Browser(world.clients[1], proxy.url) for _ in range(READERS)]
    load.start(readers, [writer.at(proxy.url) for writer in writers])
    try:
        time.sleep(SETTLE_S if quick else 10 * SETTLE_S)
        _migrate(world, older)
        time.sleep(SETTLE_S)
        mixed = 0
        for host in hosts:
            proxy.leave_out(host.name)
            time.sleep(SETTLE_S)
            world.webs[host.name].end()
            world.start(host.name, environment=world.environment)
            proxy.leave_out()
            mixed += _faults_of_each(world)
            time.sleep(SETTLE_S if quick else 10 * SETTLE_S)
    finally:
        load.stop()
    wrong = {"faults": load.faults(), "mixed": mixed, "silent": int(not load.counted)}
    return guarantees.report(
        **world.line_of("M8"),
        size=sizes.name(quick=quick),
        n=load.counted.total(),
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        older=bool(older),
        written=load.written,
        slowest_s=round(load.slowest, 1),
        **wrong,
    )


def older_release(folder: Path) -> Path | None:
    """Take the code of before the newest migration out of the history."""
    newest = max(path.name for path in (ROOT / VERSIONS).glob("0*.py"))
    asked = ["log", "--diff-filter=A", "--format=%H", "--", f"{VERSIONS}/{newest}"]
    added = _git(*asked).decode().split()
    packed = _git("archive", f"{added[-1]}^") if added else b""
    if not packed:
        return None
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _git(*command: str) -> bytes:
    try:
        done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True)
    except FileNotFoundError:
        return b""
    return done.stdout if done.returncode == 0 else b""


def _writers(world: World) -> list[Browser]:
    people = [make_account(f"writer{number}") for number in range(WRITERS)]
    return [signed_in(world.app, who, world.clients[0], "") for who in people]


def _go_back(world: World, older: Path) -> None:
    """Put the older schema in the place of this one; who is signed in stays so."""
    db.session.remove()
    db.engine.dispose()
    with world.database.connect() as connection:
        kept = {name: _rows(connection, name) for name in PERSONAL}
    world.database.empty()
    parts.flask(world.environment, "db", "upgrade", code=older)
    with world.database.connect() as connection:
        for name, rows in kept.items():
            put = sql.SQL(AS_THERE).format(sql.Identifier(name))
            connection.execute(put, [Json(rows)])


def _rows(connection: psycopg.Connection, name: str) -> list[dict]:
    asked = sql.SQL("SELECT json_agg({0}) FROM {0}").format(sql.Identifier(name))
    return connection.execute(asked).fetchone()[0] or []


def _migrate(world: World, older: Path | None) -> None:
    if older:
        parts.flask(world.environment, "db", "upgrade")
        return
    with world.database.connect() as connection:
        connection.execute(EXPAND)


def _faults_of_each(world: World) -> int:
    """Ask each host past the proxy, of whichever release it is."""
    pages = ("/", "/healthz", "/api/v1/blacklist/check?handle=nobody")
    browsers = [Browser(world.clients[1], world.url(name)) for name in WEB]
    return sum(
        browser.get(page).status_code >= 500 for browser in browsers for page in pages
    )


class Load:
    """People who read and write, until they are told to stop."""

    def __init__(self):
        self.counted: Counter[int] = Counter()
        self.written = 0
        self.slowest = 0.0
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def start(self, readers: list[Browser], writers: list[Browser]) -> None:
        """Begin, each in a thread."""
        for work, browsers in ((self._read, readers), (self._write, writers)):
            for browser in browsers:
                thread = threading.Thread(target=self._repeat, args=(work, browser))
                thread.start()
                self._threads.append(thread)

    def stop(self) -> None:
        """Let everybody finish what they are at."""
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def faults(self) -> int:
        """Return how many answers failed, or never came."""
        return sum(times for status, times in self.counted.items() if status >= 500)

    def _repeat(self, work, browser: Browser) -> None:
        while not self._ending.is_set():
            began = time.monotonic()
            try:
                answers = work(browser)
            except requests.RequestException as lost:
                print(f"M8: {lost}", flush=True)
                answers = [NO_ANSWER]
            for status, path in answers:
                if status >= 500:
                    print(f"M8: {status} {path}", flush=True)
            with self._lock:
                self.counted.update(status for status, _ in answers)
                self.slowest = max(self.slowest, time.monotonic() - began)
            self._ending.wait(0.05)

    def _read(self, browser: Browser) -> list[Answer]:
        pages = ("/", "/?q=card", "/blacklist?handle=nobody", "/help")
        return [(browser.get(page).status_code, page) for page in pages]

    def _write(self, browser: Browser) -> list[Answer]:
        page = "/listings/new"
        made = browser.submit(page, page)
        if made.status_code != 303:
            return [(made.status_code, page)]
        draft = made.headers["Location"]
        kept = browser.submit(draft, draft, note="a note")
        with self._lock:
            self.written += kept.status_code in (200, 303)
        return [(made.status_code, page), (kept.status_code, draft)]
