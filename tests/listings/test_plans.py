"""No statement of the board reads a whole table, on either database."""

import re
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import event, insert, text

from tests.factories import MONDAY
from tradeboard.accounts.models import Account
from tradeboard.cards.models import Card
from tradeboard.core import paging
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings import queries
from tradeboard.listings.models import Line, Listing, ListingToken, Photo, SavedSearch
from tradeboard.listings.queries import Filters, board, finding, naming, searches

MANY = 2000
TABLES = {
    model.__tablename__
    for model in (Account, Card, Line, Listing, ListingToken, Photo, SavedSearch)
}
# PostgreSQL reads a table whole that is as small as the ones here.
AS_IF_LARGE = """SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
                 SET LOCAL enable_mergejoin = off"""
# To walk along the board, newest first, until a page is full, is no scan.
WALK = "ix_listing_board"

# Every third listing offers a dragon, one in a thousand a rare fox.
SEARCHES = {
    "all": Filters(),
    "common": Filters(terms=["竜"]),
    "rare": Filters(terms=["狐"]),
    "long": Filters(terms=["竜の1000", "札"]),
    "missing": Filters(terms=["無い"]),
    "marks": Filters(conditions=("A", "B"), language="ja", rarity="SR", game="星霜"),
    "abroad": Filters(terms=["竜"], abroad=True, photo=True),
    "mine": Filters(has_what=7),
    "new": Filters(since=MONDAY + timedelta(minutes=MANY - 100)),
}


@pytest.fixture
def full(app, monkeypatch):
    """Fill the board with rows that nobody typed."""
    monkeypatch.setattr(finding, "RARE", 20)
    monkeypatch.setattr(board, "SAMPLE", 20)
    with transaction():
        for model, make in ROWS.items():
            rows = [row for i in range(1, MANY + 1) for row in make(i)]
            db.session.execute(insert(model), rows)
        db.session.execute(text("ANALYZE"))


def _account(i):
    yield {
        "id": i,
        "handle": f"a{i}",
        "email": "",
        "email_wire": "",
        "email_login": f"a{i}",
        "email_key": f"k{i}",
        "email_kid": "k",
        "email_rules": 1,
        "created_at": MONDAY,
        "password_hash": "!",
        "role": "member",
        "standing": "good",
    }


def _listing(i):
    at = MONDAY + timedelta(minutes=i)
    yield {
        "id": i,
        "owner_id": i,
        "state": "open",
        "search_key": f"竜の{i} 札",
        "created_at": at,
        "changed_at": at,
        "posted_at": at,
        "version": 1,
    }


def _lines(i):
    for side in ("have", "want"):
        yield {
            "listing_id": i,
            "side": side,
            "name": f"竜の{i}",
            "key": f"竜の{i}",
            "quantity": 1,
            "free": 1,
        }


def _tokens(i):
    found = ["札", f"x{i % 9}", f"y{i % 99}"]
    found += ["竜", "竜の", "ship=abroad"] if i % 3 == 0 else []
    rare = ["狐", "の1", "10", "00", "game=星霜", "=A/ja/sr"]
    found += rare if i % 1000 == 0 else []
    yield from ({"token": token, "listing_id": i} for token in found)


def _photo(i):
    yield {
        "id": f"p{i}",
        "listing_id": i,
        "owner_id": i,
        "position": 0,
        "width": 1,
        "height": 1,
        "added_at": MONDAY,
    }


def _card(i):
    yield {
        "account_id": i,
        "side": "have",
        "key": f"竜の{i}",
        "name": f"竜の{i}",
        "quantity": 1,
        "added_at": MONDAY,
    }


def _saved(i):
    yield {
        "account_id": i,
        "asked": "q=竜",
        "made_at": MONDAY,
        "told_until": MONDAY + timedelta(minutes=i),
    }


ROWS = {
    Account: _account,
    Listing: _listing,
    Line: _lines,
    ListingToken: _tokens,
    Photo: _photo,
    Card: _card,
    SavedSearch: _saved,
}


@contextmanager
def explained():
    """Explain each statement of the block before it runs; collect the scans."""
    found: list[str] = []
    is_postgres = db.engine.dialect.name == "postgresql"
    words = "EXPLAIN" if is_postgres else "EXPLAIN QUERY PLAN"

    def note(connection, cursor, statement, parameters, *_):
        if not statement.startswith("SELECT"):
            return
        raw = connection.connection.dbapi_connection.cursor()
        if is_postgres:
            raw.execute(AS_IF_LARGE)
        raw.execute(f"{words} {statement}", parameters)
        plan = "\n".join(str(row[-1]) for row in raw.fetchall())
        found.extend(f"{line} <- {statement}" for line in _scans(plan))

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(db.engine, "before_cursor_execute", note)


def _scans(plan):
    """Return where a table or an index of it is read from end to end."""
    read = re.findall(r"^SCAN (\w+)(.*)", plan, re.M)
    read += re.findall(r"Seq Scan on (\w+)(.*)", plan)
    read += [
        (table, index)
        for index, table, below in re.findall(
            r"Index (?:Only )?Scan (?:Backward )?using (\w+) on (\w+)[^\n]*\n(.*)", plan
        )
        if "Index Cond" not in below
    ]
    return [name for name in read if name[0] in TABLES and WALK not in name[1]]


def test_no_statement_of_the_board_reads_a_whole_table(full):
    half = paging.Cursor(MONDAY + timedelta(minutes=MANY // 2), MANY // 2)

    with explained() as scans:
        for filters in SEARCHES.values():
            board.search(filters)
            board.board_page(filters, half)
        board.count_each(list(SEARCHES.values()))
        queries.count_posted_since(MONDAY)
        queries.games()
        board.rarities()
        naming.names_like("竜の1")
        naming.names_like("狐")
        searches.of_account(5)
        searches.due_members(MONDAY + timedelta(days=9), limit=10)
        searches.newer_than(SEARCHES["common"], MONDAY, not_of=5)

    assert scans == []
