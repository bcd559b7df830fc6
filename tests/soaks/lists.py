"""D7: a page asks the database as often at a thousand rows as at ten."""

import json
import shutil
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, select

from tests import catalogues, databases, sizes
from tests.browser.filled import session_cookie
from tests.conftest import Client, know_the_site
from tests.soaks import growing, guarantees
from tests.soaks.boards import application, board
from tests.soaks.crowds import crowd
from tests.soaks.rows import LISTED, LISTS, MEMBER, STAFF, VISITOR
from tradeboard.accounts.models import Account
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.paging import LARGEST_PAGE
from tradeboard.demo import world
from tradeboard.demo.people import KUROBANE, MINATO

NUMBERS = (10, 100, 1000)
JSON_LISTS = ("items", "changes", "answers", "entries")


class Siblings(HTMLParser):
    """Counts how many of a kind stand beside each other; the most of them."""

    NEVER_CLOSED = frozenset({"br", "hr", "img", "input", "link", "meta", "source"})
    NO_ROWS = frozenset({"option", "path", "rect", "text", "line", "circle", "br"})

    def __init__(self, html: str):
        super().__init__()
        self.most, self.of = 0, ""
        self.open: list[tuple[str, Counter]] = [("", Counter())]
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        """Count it beside what stands in the same element."""
        kind = (tag, dict(attrs).get("class"))
        beside = self.open[-1][1]
        beside[kind] += 1
        if beside[kind] > self.most and tag not in self.NO_ROWS:
            self.most, self.of = beside[kind], f"{self.open[-1][0]} > {kind}"
        if tag not in self.NEVER_CLOSED:
            self.open.append((tag, Counter()))

    def handle_endtag(self, tag):
        """Leave the element, and what in it was left open."""
        if any(name == tag for name, _ in self.open):
            while self.open.pop()[0] != tag:
                pass


def main(*, quick: bool, minutes: float) -> int:
    """Fill a board once, and let one of each kind grow from it."""
    violations = 0
    with TemporaryDirectory() as folder, board("sqlite", Path(folder)) as environment:
        app = application(environment)
        app.config["DEMO"] = True
        app.instance_path = str(Path(folder) / "instance")
        with app.app_context():
            world.seed(clock.now())
            db.session.remove()
            for kind in databases.KINDS:
                line = run(db.engine, kind, app.config["KEYRING"], quick=quick)
                violations += line["violations"]
            db.engine.dispose()
    return violations


def run(filled: Engine, kind: str, ring: Path, *, quick: bool, compiled=None) -> dict:
    """Read every list at each size, and compare.

    `filled` is a board on SQLite with its ring of keys, and is left as it is;
    `compiled` is where the templates of other applications are kept.
    """
    began = time.monotonic()
    catalogues.compile_all()
    largest = sizes.size("D7", quick=quick)
    numbers = [n for n in NUMBERS if n <= largest]
    with TemporaryDirectory() as named:
        folder = Path(named)
        shutil.copy(ring, folder / "keyring.json")  # under which all is sealed
        with board(kind, folder) as environment:
            app = application(environment)
            app.jinja_env.bytecode_cache = compiled
            pages = pages_of(kind, quick=quick)
            counted, wrong = _compare(filled, app, numbers, pages)
    few = counted[numbers[0]]
    for number in numbers[1:]:
        for page, statements in counted[number].items():
            if statements > few[page]:
                text = f"{page}: {few[page]} statements at {numbers[0]} rows"
                wrong.append(f"{text}, {statements} at {number}")
    for text in wrong:
        print(text, flush=True)
    return guarantees.report(
        guarantee="D7",
        db=kind,
        n=numbers[-1],
        violations=len(wrong),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        size=sizes.name(quick=quick),
        pages=len(few),
        rows=numbers,
        statements=max(few.values()),
    )


def pages_of(kind: str, *, quick: bool) -> list[tuple[str | None, str]]:
    """Return who reads what; quick reads one half on each database."""
    pages = [page for pages in LISTS.values() for page in pages]
    return pages[databases.KINDS.index(kind) :: 2] if quick else pages


def _compare(filled, app, sizes, pages):
    """Count the statements of each page at each size; return what else is wrong."""
    app.test_client_class = Client
    counted: dict[int, dict[tuple, int]] = {}
    wrong: list[str] = []
    with app.app_context():
        growing.copy_all(filled, db.engine)
        people = {who: reader(app, who) for who in (VISITOR, MEMBER, LISTED, STAFF)}
        for client in people.values():
            client.get("/")  # Nothing is asked for the first time afterwards.
        for number in sizes:
            know_the_site()
            crowd(db.engine, number)
            counted[number], found = read(people, pages)
            wrong += [f"{number} rows: {text}" for text in found]
        db.session.remove()
        db.engine.dispose()
    return counted, wrong


def reader(app, who: str | None):
    """Return a browser of somebody, or of nobody."""
    client = app.test_client()
    client.set_cookie("language", "ja")
    if who:
        client.set_cookie(*session_cookie(app, who))
    return client


def addresses() -> dict[str, int]:
    """Return which rows the pages of single ones are about: the first of each."""
    db.session.rollback()
    member = db.session.scalar(select(Account.id).where(Account.handle == MINATO))
    listed = db.session.scalar(select(Account.id).where(Account.handle == KUROBANE))
    tables = db.metadata.tables

    def first(name, *where):
        key = tables[name].c.id
        return db.session.scalar(select(key).where(*where).order_by(key).limit(1))

    trade, entry = tables["trade"].c, tables["entry"].c
    spoken = select(tables["message"].c.trade_id)
    found = {
        "member": member,
        "listing": first("listing", tables["listing"].c.owner_id == member),
        "trade": first("trade", trade.id.in_(spoken), trade.poster_id == member),
        "entry": first("entry", entry.account_id == listed),
        "hold": first("hold"),
        "appeal": first("appeal"),
        "report": first("report"),
    }
    db.session.rollback()
    return found


def read(people, pages) -> tuple[dict[tuple, int], list[str]]:
    """Read each page; how many statements each took, and what is wrong."""
    counter, counted, wrong = databases.Counter(db.engine), {}, []
    numbers = addresses()
    for who, pattern in pages:
        address = pattern.format(**numbers)
        with counter() as seen:
            answer = people[who].get(address)
        counted[who, pattern] = len(seen)
        if answer.status_code != 200:
            wrong.append(f"{who} {address}: {answer.status_code}")
        most, kind = rows_of(answer)
        if most > LARGEST_PAGE + 1:  # A heading may look like a row.
            wrong.append(f"{who} {address}: {most} rows of {kind}")
    return counted, wrong


def rows_of(answer) -> tuple[int, str]:
    """Return how many rows of one kind an answer shows at most, and which."""
    if answer.mimetype.endswith("json"):
        said = json.loads(answer.text)
        lists = [said] if isinstance(said, list) else [said.get(n) for n in JSON_LISTS]
        return max((len(one) for one in lists if one), default=0), "JSON"
    siblings = Siblings(answer.text)
    return siblings.most, siblings.of
