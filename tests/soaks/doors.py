"""Every door of the board, tried by everybody: S4 and S5.

`tests/web/access.toml` says what each address answers to whom. A row is tried once for
each column; an address without a row is a violation, as is a row without an address.
"""

import random
import time
import tomllib
from contextlib import closing, contextmanager
from pathlib import Path

import structlog

from tests import page_forms, sizes
from tests.soaks import guarantees
from tests.soaks.house import (
    ANY,
    COLUMNS,
    COUNTERPARTY,
    HOST,
    INVOLVED,
    LISTED,
    OWNER,
    STRANGER,
    House,
)
from tradeboard.accounts.rules.standing import Role

TABLE = Path(__file__).parents[1] / "web" / "access.toml"
REFUSED = {"login", "401", "403", "404"}
# What a request may leave behind though nothing happened: that somebody was here with
# which browser, how often somebody asked, and that staff has looked.
BOOKKEEPING = {"session", "throttle_bucket", "device", "device_use"}
LOOKS = {"audit_row", "audit_head"}
# Where nothing is anybody's, these are what another column is; a quick run skips them.
NOBODYS, AS_ANOTHER = "none", {COUNTERPARTY, OWNER, LISTED, INVOLVED}
ELSEWHERE = "https://elsewhere.example"


def run(app, *, quick: bool, drawn: bool = False) -> list[dict]:
    """Try every door of one house for both; return the lines of S4 and S5.

    If `drawn`, lots decide which half of those who are refused try a door, and which
    of the ways to be without a token is tried.
    """
    with silence(), closing(House(app)) as house:
        doors = Doors(house, quick=quick, drawn=drawn)
        doors.look_for_missing()
        doors.try_tokens()
        doors.try_everybody()
    return [s4(doors), s5(doors)]


def s4(doors) -> dict:
    """Nothing changes without a token of the own session, nor by looking."""
    return _told("S4", doors.changed, doors.asked, doors)


def s5(doors) -> dict:
    """Nobody opens what is not for him: each door, each person, each kind of thing."""
    return _told("S5", doors.opened, doors.cells, doors, cells=doors.cells)


def _told(guarantee, wrong, number, doors, **extras):
    for what in wrong:
        print(what)
    return guarantees.report(
        guarantee=guarantee,
        db="sqlite",
        size=sizes.name(quick=doors.quick),
        n=number,
        violations=len(wrong),
        secs=round(time.process_time() - doors.began, 1),
        seed=None,
        routes=len(doors.doors),
        **extras,
    )


@contextmanager
def silence():
    """Let no request be logged: there are thousands, and making a line takes long."""

    def drop(*_):
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[drop])
    try:
        yield
    finally:
        structlog.configure(**before)


def table() -> dict:
    """Return what the file says."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def doors_of(app) -> dict:
    """Return every address of the application by method and endpoint."""
    return {
        f"{method} {rule.endpoint}": rule
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.endpoint != "static"
    }


def word(answer) -> str:
    """Return a status in a word; `login` leads to the page for that."""
    there = answer.headers.get("Location", "")
    answer.close()
    if answer.status_code in (302, 303):
        return "login" if there.partition("?")[0] == "/login" else "303"
    return str(answer.status_code)


class Doors:
    """Tries the doors of one house.

    `opened` tells who was answered otherwise than the table says, `changed` what was
    changed by a look or without a token.
    """

    def __init__(self, house: House, *, quick: bool, drawn: bool):
        self.began, self.quick, self.drawn = time.process_time(), quick, drawn
        self.house, self.said = house, table()
        self.doors = doors_of(house.app)
        self.adapter = house.app.url_map.bind("localhost")
        self.opened: list[str] = []
        self.changed: list[str] = []
        self.cells = self.asked = 0
        self.bodies: dict[str, dict] = {}
        self.tokens: dict[str | None, str] = {}

    def rows(self, *, gets: bool):
        """Yield each row: the kind of thing, the door, the words for each column."""
        for kind, rows in self.said["things"].items():
            for door, answers in rows.items():
                if door in self.doors and door.startswith("GET ") == gets:
                    yield kind, door, dict(zip(COLUMNS, answers.split(), strict=True))

    def look_for_missing(self):
        """Find doors without a row, and rows without a door."""
        rows = {door for rows in self.said["things"].values() for door in rows}
        doors = set(self.doors)
        self.opened += [f"no row: {door}" for door in sorted(doors - rows)]
        self.opened += [f"no such door: {door}" for door in sorted(rows - doors)]

    def try_everybody(self):
        """Try each row by each column; owners become moderators for the last one."""
        others = [column for column in COLUMNS if column != INVOLVED]
        self._walk(others)
        owners = {thing.owner for thing in self.house.things.values()}
        for handle in owners - {"boss"}:
            self.house.promote(handle, Role.MODERATOR)
        for handle in owners:
            self.house.client(f"{handle} as moderator")
        self.house.moment.keep()
        self._walk([INVOLVED])

    def _walk(self, columns):
        for gets in (True, False):
            for kind, door, answers in self.rows(gets=gets):
                for column in columns:
                    if self.quick and kind == NOBODYS and column in AS_ANOTHER:
                        continue
                    if answers[column] in REFUSED and self._is_left_out():
                        continue
                    self._try(kind, door, column, answers[column])

    def _is_left_out(self) -> bool:
        return self.drawn and random.random() < 0.5

    def _try(self, kind, door, column, expected):
        """Try one door by one person; what it changed is looked at and undone."""
        found = self.open(kind, door, column)
        self.cells += 1
        who = f"{kind}: {door} by {column}"
        if found != expected:
            self.opened.append(f"{who}: {found}, not {expected}")
        if door.startswith("GET "):
            self.asked += 1
            if changes := self._changes() - LOOKS:
                self.changed.append(f"{who} changed {sorted(changes)}")
        elif found in REFUSED and (changes := self._changes()):
            self.opened.append(f"{who} changed {sorted(changes)}")
        self.house.moment.back()

    def _changes(self) -> set[str]:
        return self.house.moment.changes() - BOOKKEEPING

    def try_tokens(self):
        """Send each form as somebody who may: without a token, or from elsewhere."""
        allowed, foreign = self.said["without_token"], self.token("nagi")
        for kind, door, answers in self.rows(gets=False):
            who = next((c for c in COLUMNS[:-1] if answers[c] not in REFUSED), STRANGER)
            name = self.house.who(who, self.house.things[kind])
            own = {"csrf_token": self.token(name)}
            stranger = {"csrf_token": self.token("moda") if name == "nagi" else foreign}
            ways = [
                ("no token", {}, HOST),
                ("a foreign token", stranger, HOST),
                ("another origin", own, ELSEWHERE),
            ]
            for how, body, origin in [random.choice(ways)] if self.drawn else ways:
                found = self.open(kind, door, who, body=body, origin=origin)
                self.asked += 1
                changes = self._changes()
                refused = found in {"400", "401", "403"} and not changes
                if not refused and how not in allowed.get(door.split()[1], []):
                    what = f"{kind}: {door} by {who} with {how}"
                    self.changed.append(f"{what}: {found} {sorted(changes)}")
                self.house.moment.back()

    def open(self, kind, door, column, *, body=None, origin=HOST) -> str:
        """Return what somebody is answered; a form is sent as the page has it."""
        name = self.house.who(column, self.house.things[kind])
        client, address = self.house.client(name), self._address(kind, door)
        method, endpoint = door.split()
        if method == "GET":
            answer = client.get(address)
            self._read_forms(answer)
            return word(answer)
        if body is None:
            body = {"csrf_token": self.token(name)}
        body = (
            self.bodies.get(address, {}) | self.said["bodies"].get(endpoint, {}) | body
        )
        headers = {"Origin": origin}
        answer = client.open(address, method=method, data=body, headers=headers)
        self.house.sign_in_again(name)
        return word(answer)

    def token(self, name):
        """Return a form token of somebody, made once."""
        if name not in self.tokens:
            self.tokens[name] = self.house.token_of(name)
        return self.tokens[name]

    def _address(self, kind, door):
        gaps, rule = ANY | self.house.things[kind].gaps, self.doors[door]
        named = {name: gaps.get(name, "nothing") for name in rule.arguments}
        return self.adapter.build(rule.endpoint, named, method=door.split()[0])

    def _read_forms(self, answer):
        if answer.status_code != 200 or answer.mimetype != "text/html":
            return
        for form in page_forms.forms(answer.get_data(as_text=True)):
            if form.method == "post" and form.action:
                fields = form.values()
                fields.pop("csrf_token", None)
                self.bodies.setdefault(form.action, {}).update(fields)
