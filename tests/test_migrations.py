"""From the first schema to the newest and back, with a row in every table."""

import json
import time
from datetime import date, datetime, timedelta

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask_migrate import downgrade, upgrade

from tests import databases
from tests.factories import MONDAY
from tests.soaks import guarantees
from tradeboard.accounts import queries
from tradeboard.app import create_app
from tradeboard.blacklist import queries as blacklist
from tradeboard.core.db import SQLITE_FORMAT, db, writing
from tradeboard.listings.models import Line, Listing, ListingToken
from tradeboard.listings.rules import tokens

FIRST = "0001"
CALLED_AT = MONDAY - timedelta(days=15)
NUMBER_COUNTS_UNTIL = CALLED_AT + timedelta(days=365)
SINCE_FIRST = {
    "announcement",
    "api_key",
    "appeal",
    "appeal_link",
    "audit_head",
    "backup_run",
    "block",
    "card",
    "change",
    "claim",
    "device_name",
    "digest_mark",
    "domain_rule",
    "entry_draft",
    "evidence_file",
    "evidence_request",
    "feed_head",
    "feedback",
    "form_draft",
    "help_version",
    "hold",
    "listing_token",
    "mail_choice",
    "match_news",
    "member_warning",
    "message_photo",
    "node",
    "notice",
    "passkey",
    "remark",
    "report",
    "saved_search",
    "setting_change",
    "signal_seen",
    "staff_note",
    "staff_reason",
    "tally",
    "watch",
}

# What a row needs beside any value of the right type.
NEEDED = {
    "terms_version": {"number": 2},
    "mailed_token": {"purpose": "confirm"},
    "trade": {"proposer_id": 2, "extensions": 0, "phone_confirmed_at": CALLED_AT},
    "line": {"traded": 0},
    "listing": {
        "state": "open",
        "search_key": "game of listing name of line set_code of line",
    },
    "leg": {"recipient_id": 2},
    "audit_row": {"actor_id": 1},
    "entry": {"state": "listed", "email_hash": "e1", "email_kid": "k1"},
    "account": {"email_confirmed_at": MONDAY},
}


@pytest.fixture
def may_write():
    """Let everything in the test write."""
    token = writing.set(True)
    yield
    writing.reset(token)


@pytest.fixture(params=databases.KINDS)
def old(request, tmp_path, ring, may_write):
    """Return an application whose database has the first schema."""
    app = create_app(
        TESTING=True,
        SECRET_KEY="a secret of the tests that is long enough",
        DATABASE_URL=databases.url(request.param, tmp_path),
        KEYRING=ring,
        UPLOADS=tmp_path / "uploads",
    )
    with app.app_context():
        upgrade(revision=FIRST)
        yield app
        db.session.remove()
        db.engine.dispose()


def tables():
    """Return the tables as they are in the database, parents first."""
    found = sa.MetaData()
    found.reflect(db.engine)
    return {table.name: table for table in found.sorted_tables}


def insert(table, **values):
    """Add a row: what is not given gets a value of its type or its parent's first."""
    values = {column.name: _value(column, values) for column in table.columns} | values
    values = {name: value for name, value in values.items() if value is not None}
    with db.engine.begin() as connection:
        connection.execute(table.insert().values(_stored(values)))


def _value(column, values):
    if column.name in values or column.name == "id" and _is_number(column):
        return None
    if column.nullable or column.server_default is not None:
        return None
    for key in column.foreign_keys:
        with db.engine.begin() as connection:
            return connection.scalar(sa.select(key.column).order_by(key.column))
    if column.name in ("at", "since") or column.name.endswith(("_at", "_by")):
        return MONDAY
    kinds = {int: 1, bool: False, datetime: MONDAY, date: MONDAY.date(), dict: {}}
    return kinds.get(column.type.python_type, f"{column.name} of {column.table.name}")


def _is_number(column):
    return isinstance(column.type, sa.Integer)


def _stored(values):
    if db.engine.dialect.name != "sqlite":
        return values
    return {
        name: value.strftime(SQLITE_FORMAT) if isinstance(value, datetime) else value
        for name, value in values.items()
    }


def fill():
    """Put a row into every table, and the people and entries that matter here."""
    old = tables()
    insert(old["account"], handle="alice", email_key="e1", **NEEDED["account"])
    insert(old["account"], handle="bob", email_key="e2", email_confirmed_at=None)
    insert(old["device"], key="d1", code="D-0000-0001")
    for name, table in old.items():
        if name == "entry":
            fill_entries(table)
        elif name == "entry_device":
            for entry_id in (1, 2, 3):
                insert(table, entry_id=entry_id, code="D-0000-0001")
        elif name not in ("alembic_version", "account", "device"):
            insert(table, **NEEDED.get(name, {}))


def fill_entries(table):
    """Add one that is listed, one that is held, and one that was listed by hand."""
    values = NEEDED["entry"] | {"phone_hashes": [{"hash": "p1", "kid": "k1"}]}
    for state, trade_id in (("listed", 1), ("held", None), ("upheld", None)):
        insert(
            table, **values | {"state": state, "trade_id": trade_id}, listed_at=MONDAY
        )


def rows(names=None, columns=None):
    """Return every row of some tables, without columns that are newer than those."""
    found = {}
    for name, table in tables().items():
        if name == "alembic_version" or (names is not None and name not in names):
            continue
        kept = [c for c in table.c if columns is None or c.name in columns[name]]
        with db.engine.begin() as connection:
            read = connection.execute(sa.select(*kept)).all()
        found[name] = sorted(
            json.dumps(dict(row._mapping), default=str, sort_keys=True) for row in read
        )
    return found


def columns():
    """Return which columns each table has."""
    return {name: set(table.c.keys()) for name, table in tables().items()}


def watched():
    """Return what is watched for, in the order of causes."""
    watch = tables()["watch"]
    with db.engine.begin() as connection:
        read = connection.execute(sa.select(watch)).mappings().all()
    return sorted(
        (row["cause"], row["signal"], row["hash"] or row["device_id"], row["kid"])
        for row in read
    )


def broken_references():
    """Return rows whose parents are missing."""
    if db.engine.dialect.name == "sqlite":
        with db.engine.begin() as connection:
            return connection.execute(sa.text("PRAGMA foreign_key_check")).all()
    lost = []
    for table in tables().values():
        for key in table.foreign_keys:
            parent = key.column.table.alias()
            orphan = sa.select(key.parent).where(
                key.parent.is_not(None),
                ~sa.exists().where(parent.c[key.column.name] == key.parent),
            )
            with db.engine.begin() as connection:
                lost += connection.execute(orphan).all()
    return lost


@pytest.mark.in_turn("old")
def test_who_is_listed_already_is_watched_for_and_in_the_feed(old):
    fill()

    upgrade()

    assert watched() == [
        ("entry:1", "device", 1, None),
        ("entry:1", "mailbox", "e1", "k1"),
        ("entry:1", "phone", "p1", "k1"),
        ("entry:3", "device", 1, None),
        ("entry:3", "mailbox", "e1", "k1"),
    ]
    rows = queries.watches_of_cause("entry:1")
    assert {row.signal.value: row.until for row in rows} == {
        "device": None,
        "mailbox": None,
        "phone": NUMBER_COUNTS_UNTIL,
    }
    assert {(row.account_id, row.since) for row in rows} == {(1, MONDAY)}
    changes = blacklist.changes_since(0, 10)
    assert [(c.seq, c.type.value, c.entry_id) for c in changes] == [
        (1, "listed", 1),
        (2, "listed", 3),
    ]
    assert changes[0].body == {
        "id": 1,
        "handle": "handle of entry",
        "devices": ["D-0000-0001"],
        "finding": "finding of entry",
        "month": "2026-06",
        "reviewed": False,
        "under_appeal": False,
        "count": 2,
        "expires": None,
    }
    assert blacklist.last_seq() == 2


@pytest.mark.in_turn("old")
def test_up_down_and_up_loses_nothing_but_links_that_change_an_address(old):
    began = time.monotonic()
    fill()
    before, shape = rows(), columns()
    assert all(before.values())

    upgrade()

    assert rows(before, shape) == before
    assert set(columns()) - set(shape) == SINCE_FIRST
    assert broken_references() == []
    change = NEEDED["mailed_token"] | {"purpose": "change", "email": "new@example.com"}
    insert(tables()["mailed_token"], token_hash="t2", **change)
    first = watched()

    downgrade(revision=FIRST)

    assert columns() == shape
    assert rows() == before
    assert broken_references() == []

    upgrade()

    assert rows(before, shape) == before
    assert watched() == first
    guarantees.report(
        guarantee="D6",
        db=db.engine.dialect.name,
        size="quick",
        n=1,
        violations=0,
        secs=round(time.monotonic() - began, 1),
        seed=None,
        tables=len(before),
        lost=0,
        orphans=0,
        diffs=0,
    )


@pytest.mark.in_turn("old")
def test_what_is_posted_already_is_found_by_what_it_says(old):
    fill()
    table = tables()
    posted = {"owner_id": 1, "ships_to": "abroad", "game": "星霜"}
    posted |= {"posted_at": MONDAY}
    insert(table["listing"], **posted, state="open", search_key="星霜\nドラゴーン")
    insert(table["listing"], **posted, state="traded", search_key="星霜\n龍")
    insert(table["listing"], owner_id=1, state="draft", search_key="")
    for listing_id, name in ((2, "ドラゴーン"), (3, "龍")):
        insert(
            table["line"],
            **NEEDED["line"] | {"listing_id": listing_id, "name": name},
            **{"side": "have", "set_code": "", "condition": "A", "language": "ja"},
            rarity="",
        )

    upgrade()

    kept = {row.id: row for row in db.session.scalars(sa.select(Listing))}
    assert [kept[n].search_key for n in (2, 3, 4)] == ["星霜 どらごん", "星霜 竜", ""]
    assert kept[2].text_digest != kept[3].text_digest != kept[4].text_digest == ""
    keys = db.session.scalars(sa.select(Line.key).order_by(Line.id)).all()
    assert keys == ["name of line", "どらごん", "竜"]
    found = db.session.execute(sa.select(ListingToken.listing_id, ListingToken.token))
    of = {}
    for listing_id, token in found:
        of.setdefault(listing_id, set()).add(token)
    assert of.keys() == {1, 2}
    assert {"星霜", "ど", "らご", "ship=abroad", "game=星霜", "=A/ja/"} <= of[2]
    assert "ー" not in of[2]
    places = sa.select(ListingToken.posted).where(ListingToken.listing_id == 2)
    assert set(db.session.scalars(places)) == {tokens.place(kept[2].posted_at)}

    db.session.rollback()
    before = rows(["listing_token", "listing", "line"])
    downgrade(revision="0004")
    assert rows(["listing_token"]) == {"listing_token": []}
    upgrade()
    assert rows(["listing_token", "listing", "line"]) == before


def test_a_mailbox_of_a_closed_account_is_free_only_in_the_new_schema(old):
    fill()
    alice = {"email_key": "e1", "email_confirmed_at": MONDAY}
    with pytest.raises(sa.exc.IntegrityError):
        insert(tables()["account"], handle="emil", **alice)
    upgrade()
    account = tables()["account"]
    with pytest.raises(sa.exc.IntegrityError):
        insert(account, handle="emil", **alice)

    insert(account, handle="emil", closed_at=MONDAY, **alice)


@pytest.mark.in_turn("old")
def test_the_migrated_schema_is_that_of_the_models(old, tmp_path_factory):
    upgrade()
    assert watched() == []
    kind = db.engine.dialect.name
    fresh = sa.create_engine(databases.url(kind, tmp_path_factory.mktemp("fresh")))
    db.metadata.create_all(fresh)

    with db.engine.begin() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, db.metadata) == []
    assert schema(db.engine) == schema(fresh)
    fresh.dispose()


def schema(engine):
    """Return columns, keys, indexes and checks of every table, without their order."""
    seen = sa.inspect(engine)
    found = {}
    for name in seen.get_table_names():
        if name == "alembic_version":
            continue
        found[name] = {
            "columns": {
                (c["name"], str(c["type"]), c["nullable"])
                for c in seen.get_columns(name)
            },
            "key": seen.get_pk_constraint(name),
            "references": _sorted(seen.get_foreign_keys(name)),
            "unique": _sorted(seen.get_unique_constraints(name)),
            "indexes": _sorted(seen.get_indexes(name)),
            "checks": _sorted(seen.get_check_constraints(name)),
        }
    return found


def _sorted(parts):
    return sorted(json.dumps(part, default=str, sort_keys=True) for part in parts)
