"""S15: who is no member copies no list, and a stolen database holds no usable key.

An enumerator who guesses every name right asks in every way there is, and comes back
the very second that the answer names. What it got in an hour is what the quota says:
so much for one line, so much for a key.
"""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count, cycle
from unittest.mock import patch

from sqlalchemy import select

from tests import sizes
from tests.api.cases import CHANGES, CHECK, EXPORT, bearer, make_key
from tests.factories import make_account
from tests.soaks import guarantees, look_ups
from tests.soaks.boards import on_each_database
from tradeboard.accounts.models import Account
from tradeboard.api import rules
from tradeboard.api.models import ApiKey
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction

LISTED_QUICK, LISTED_SOAK = 400, 100_000
MINUTES_QUICK, MINUTES_SOAK = 1, 60
WITHOUT_KEY, WITH_KEY = 300, rules.PER_MINUTE
AN_HOUR = 60
# How often each way is tried once more after it was refused.
AGAIN = 3
LINE = "198.51.100.7"
SIXES = "2001:db8:7:7"
BEGIN = datetime.fromisoformat("2026-06-15T03:00:00+00:00")


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    return on_each_database(lambda app, _: run(app, quick=quick))


def run(app, *, quick: bool) -> int:
    """Copy as much as there is to get; print it, and return what was too much."""
    began = time.monotonic()
    size = LISTED_QUICK if quick else LISTED_SOAK
    minutes = MINUTES_QUICK if quick else MINUTES_SOAK
    _fill(size)
    harvest = Harvest(app, size)
    found = {
        "one line": harvest.hour(minutes, WITHOUT_KEY, harvest.ways(LINE)),
        "one /64": harvest.hour(minutes, WITHOUT_KEY, harvest.ways(None)),
        "a key": harvest.hour(minutes, WITH_KEY, harvest.ways_with(make_key("bulk"))),
    }
    wrong = harvest.too_much + _closed(app) + _usable(app)
    guarantees.report(
        guarantee="S15",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=harvest.asked,
        violations=wrong,
        secs=round(time.monotonic() - began, 1),
        seed=None,
        records_per_h={how: per_h for how, per_h in found.items()},
    )
    return wrong


def _fill(size: int) -> None:
    model = make_account("model", agreed=False)
    columns = {c.name: getattr(model, c.name) for c in Account.__table__.columns}
    for start in range(0, size, look_ups.AT_ONCE):
        look_ups.fill(columns, start, min(start + look_ups.AT_ONCE, size))


class Harvest:
    """Asks for one listed person after the other, and counts what it is told."""

    def __init__(self, app, size: int):
        self.client = app.test_client()
        self.numbers = cycle(range(size))
        self.at, self.asked, self.too_much = BEGIN, 0, 0

    def hour(self, minutes: int, most: int, ways) -> int:
        """Get what there is in so many minutes; return how much that is an hour."""
        got = 0
        for _ in range(minutes):
            in_this = 0
            refused = dict.fromkeys(range(len(ways)), 0)
            while min(refused.values()) < AGAIN:
                for number, way in enumerate(ways):
                    answered = self._ask(way)
                    in_this += answered
                    refused[number] += not answered
            self.too_much += max(0, in_this - most)
            got += in_this
            self.at += timedelta(seconds=60)
        return got * AN_HOUR // minutes

    def _ask(self, way) -> int:
        """Ask once; return of how many people something was told."""
        self.asked += 1
        with patch.object(clock, "now", lambda: self.at):
            answer, people = way()
        assert answer.status_code in (200, 429), answer.status
        return people if answer.status_code == 200 else 0

    def ways(self, line: str | None):
        """Return all ways to ask without a key, from one line or one network."""
        sixes = (f"{SIXES}::{number:x}" for number in count(1))

        def get(path, **headers):
            address = line or next(sixes)
            headers["X-Forwarded-For"] = f"203.0.113.{self.asked % 250}"
            where = {"REMOTE_ADDR": address}
            return self.client.get(path, headers=headers, environ_base=where), 1

        def name():
            return look_ups.name(next(self.numbers))

        def code():
            return look_ups.code(next(self.numbers))

        return (
            lambda: get(f"{CHECK}?handle={name()}"),
            lambda: get(f"{CHECK}?device={code()}", Cookie="session=x"),
            lambda: get(f"/blacklist?handle={name()}", Accept_Language="en"),
            lambda: get(f"/blacklist?device={code()}"),
            lambda: get(f"/u/{name()}"),
        )

    def ways_with(self, key: str):
        """Return all ways to ask with a key, from ever other lines."""
        lines = (f"203.0.{number >> 8 & 255}.{number & 255}" for number in count(1))

        def ask(path, method, people, **more):
            where = {"REMOTE_ADDR": next(lines)}
            answer = self.client.open(
                path, method=method, headers=bearer(key), environ_base=where, **more
            )
            return answer, people

        def some(of, number):
            return [of(next(self.numbers)) for _ in range(number)]

        def bulk():
            names, codes = some(look_ups.name, 60), some(look_ups.code, 40)
            return ask(CHECK, "POST", 100, json={"handles": names, "devices": codes})

        def single():
            (name,) = some(look_ups.name, 1)
            return ask(f"{CHECK}?handle={name}", "GET", 1)

        return (bulk, single)


def _closed(app) -> int:
    """Count the doors to the whole list that open without the right key."""
    client, wrong = app.test_client(), 0
    for path in ("/blacklist/list", CHANGES, EXPORT):
        wrong += client.get(path).status_code not in (303, 401)
    for path in (CHANGES, EXPORT):
        some = client.get(path, headers=bearer(make_key("check", "bulk")))
        wrong += some.status_code != 403
    return wrong


def _usable(app) -> int:
    """Count what a thief of the database could use as a key."""
    shown = make_key("feed")
    rows = db.session.execute(select(ApiKey.key_id, ApiKey.secret_hash)).all()
    kept = {str(value) for row in rows for value in row}
    wrong = sum(shown.split("_", 2)[2] in value for value in kept)
    for tried in _tries(rows):
        answer = app.test_client().get(CHANGES, headers=bearer(tried))
        wrong += answer.status_code != 401
    with transaction():
        for row in db.session.scalars(select(ApiKey)):
            row.revoked_at = clock.now()
    answer = app.test_client().get(CHANGES, headers=bearer(shown))
    return wrong + (answer.status_code != 401)


def _tries(rows) -> Iterator[str]:
    for key_id, secret_hash in rows:
        yield f"tb_{key_id}_{secret_hash}"
        yield f"tb_{key_id}_{secret_hash[:43]}"
        yield secret_hash
