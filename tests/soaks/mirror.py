"""A mirror kept by the feed equals the board, and never says none too early.

Random changes of entries alternate with syncs that random faults interrupt: before the
board answers, after it, in the middle of a page, while a page is being stored.
"""

import io
import random
import sqlite3
import time
import urllib.error
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

from tests import sizes
from tests.api.cases import make_key
from tests.factories import MONDAY, make_account
from tests.soaks import guarantees
from tests.soaks.boards import on_each_database
from tradeboard.accounts.models import Account, Device
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules.entries import PUBLIC, STANDING_STATES, EntryState
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.blacklist.services import entering, feed
from tradeboard.client import Mirror, SyncFailed
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades.rules.findings import Finding

BOARD = "https://board.example"
AN_HOUR = timedelta(hours=1)


class Interrupted(Exception):
    """The program that keeps the mirror ends here."""


def open_in(app):
    """Return what opens a request within an application, without a network."""

    def open(request, timeout):
        url = urlsplit(request.full_url)
        answer = app.test_client().open(
            f"{url.path}?{url.query}", headers=dict(request.header_items())
        )
        headers = Message()
        for name, value in answer.headers.items():
            headers[name] = value
        body = io.BytesIO(answer.data)
        made = urllib.error.HTTPError(
            request.full_url, answer.status_code, answer.status, headers, body
        )
        if answer.status_code != 200:
            raise made
        return made

    return open


@dataclass
class Faults:
    """Lets a sync fail in one of several places, or lets it be."""

    dice: random.Random
    open: object
    count: int = 0

    def __call__(self, request, timeout):
        """Answer as the board does, unless a fault is due."""
        kind = self.dice.choice(["before", "after", "cut", "", "", "", "", "", ""])
        if kind:
            self.count += 1
        if kind == "before":
            raise OSError("no route to the board")
        answer = self.open(request, timeout)
        if kind == "after":
            answer.close()
            raise Interrupted
        if kind == "cut":
            whole = answer.read()
            answer.close()
            return closing_bytes(whole[: len(whole) // 2], answer.headers)
        return answer


def closing_bytes(data: bytes, headers):
    """Return an answer that ended too early."""
    body = io.BytesIO(data)
    body.headers = headers
    return body


class Dying(Mirror):
    """A mirror that is ended now and then while it stores a page."""

    faults: Faults

    def _apply(self, database: sqlite3.Connection, change) -> None:
        super()._apply(database, change)
        if self.faults.dice.random() < 0.01:
            self.faults.count += 1
            raise Interrupted


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    changes = sizes.size("mirror", quick=quick)
    return on_each_database(lambda app, folder: run(app, folder, changes=changes))


def run(app, folder: Path, *, changes: int) -> int:
    """Make so many random changes and follow them; return the violations."""
    began = time.monotonic()
    seed = guarantees.seed()
    dice = random.Random(seed)
    world = World(dice)
    faults = Faults(dice, open_in(app))
    Dying.faults = faults
    mirror = Dying(
        BOARD,
        make_key("feed"),
        folder / "mirror.sqlite3",
        open=faults,
        page=dice.choice([3, 7, 50]),
        max_age=timedelta(days=9999),
    )
    done = syncs = early = 0
    while done < changes:
        for _ in range(dice.randint(1, 8)):
            done += world.change()
        before = listed_people()
        syncs += 1
        step(mirror)
        # Nothing changed meanwhile: whoever was listed before still is.
        early += sum(mirror.status(name) == "none" for name in before)
        if dice.random() < 0.2:
            mirror = reopened(mirror)
    while not step(mirror):
        syncs += 1
    different = compare(mirror, world)
    violations = early + different
    guarantees.report(
        guarantee="mirror",
        db=db.engine.dialect.name,
        size=sizes.name_of("mirror", changes),
        n=changes,
        violations=violations,
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        syncs=syncs,
        interrupted=faults.count,
        too_early=early,
        different=different,
        seq=mirror.seq,
    )
    return violations


def step(mirror: Mirror) -> bool:
    """Sync once; tell whether it came to the end."""
    try:
        mirror.sync()
    except (SyncFailed, Interrupted):
        return False
    return True


def reopened(mirror: Dying) -> Dying:
    """Return what a program finds that starts again."""
    return Dying(
        mirror.base_url,
        mirror.key,
        mirror.path,
        open=mirror._open,
        page=mirror.page,
        max_age=timedelta(days=9999),
    )


def listed_people() -> set[str]:
    """Return the names of everybody who has a public entry now."""
    db.session.rollback()
    return {
        row.handle
        for row in db.session.query(Entry.handle).filter(Entry.state.in_(PUBLIC))
    }


def compare(mirror: Mirror, world: "World") -> int:
    """Count where the mirror and the board differ, by entry, name and device."""
    db.session.rollback()
    right = {
        entry.id: queries.entry_as_json(entry)
        for batch in queries.all_public()
        for entry in batch
    }
    kept = {entry["id"]: entry for entry in mirror.entries()}
    wrong = sum(right.get(id) != kept.get(id) for id in right.keys() | kept.keys())
    with closing(sqlite3.connect(mirror.path)) as database:
        hidden = {id for (id,) in database.execute("SELECT id FROM entry WHERE hidden")}
    really = db.session.query(Entry.id).filter(
        Entry.state.in_(PUBLIC), Entry.hidden_at.is_not(None)
    )
    wrong += len(hidden ^ {row.id for row in really})
    for name in world.names:
        answer = queries.answer_for(handle=name, now=MONDAY)
        wrong += mirror.status(name) != answer.status
    for code in world.codes:
        answer = queries.answer_for(device=code, now=MONDAY)
        wrong += mirror.status_of_device(code) != answer.status
    return wrong


class World:
    """Some people with browsers, and what happens to their entries."""

    def __init__(self, dice: random.Random, people: int = 20):
        self.dice = dice
        self.now = MONDAY
        self.names = [f"person{number:02}" for number in range(people)]
        self.codes = [f"D-{number:04}-9QXM" for number in range(people)]
        self.people = [make_account(name, agreed=False).id for name in self.names]
        with transaction():
            devices = [
                Device(
                    key=f"key of {code}",
                    kid="k1",
                    code=code,
                    first_seen=MONDAY,
                    last_seen=MONDAY,
                )
                for code in self.codes
            ]
            db.session.add_all(devices)
            db.session.flush()
            self.devices = [device.id for device in devices]

    def change(self) -> int:
        """Let one thing happen that mirrors are told; or nothing, and return 0."""
        self.now += self.dice.random() * AN_HOUR
        with transaction():
            ids = db.session.query(Entry.id).filter(Entry.state.in_(STANDING_STATES))
            standing = [row.id for row in ids]
            if not standing or self.dice.random() < 0.3:
                self._enter()
                return 1
            entry = db.session.get_one(Entry, self.dice.choice(standing))
            return self._move(entry)

    def _enter(self) -> None:
        person = db.session.get_one(Account, self.dice.choice(self.people))
        held = self.dice.random() < 0.2
        mine = self.dice.sample(self.devices, self.dice.randint(0, 3))
        entering.enter(
            person,
            None,
            Finding.WITHHELD if held else Finding.NEVER_DISPATCHED,
            state=EntryState.HELD if held else EntryState.LISTED,
            devices=[db.session.get_one(Device, id) for id in mine],
            phones=[],
            facts={},
            by_id=None,
            now=self.now,
        )

    def _move(self, entry: Entry) -> int:
        publish = self.dice.choice(["list", "uphold"])
        if entry.state is EntryState.HELD:
            events = [publish, publish, "lift"]
        elif entry.hidden_at is not None:
            events = ["close", "lift"]
        elif entry.appealed_at is not None:
            events = ["hide", "close", "lift", "expire"]
        else:
            events = ["appeal", "uphold", "lift", "expire"]
        event = self.dice.choice(events)
        if event == "uphold" and entry.state is EntryState.UPHELD:
            event = "appeal"
        self._do(entry, event, self.now)
        return 1

    def _do(self, entry: Entry, event: str, now: datetime) -> None:
        if event in ("list", "uphold"):
            reviewed = event == "uphold"
            entering.publish(entry, event, by_id=None, reviewed=reviewed, now=now)
        elif event in ("lift", "expire"):
            entry.appealed_at = entry.hidden_at = None
            entering.end(entry, event, by_id=None, now=now)
        elif event == "appeal":
            entry.appealed_at = now
            feed.tell(entry, ChangeType.APPEALED, now=now)
        elif event == "hide":
            entry.hidden_at = now
            feed.tell(entry, ChangeType.HIDDEN, now=now)
        else:
            entry.appealed_at = entry.hidden_at = None
            feed.tell(entry, ChangeType.APPEAL_CLOSED, now=now)
