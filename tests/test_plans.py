"""Each statement that the board must always answer has its index (both databases)."""

import re
from contextlib import contextmanager
from datetime import timedelta

import pytest
from psycopg import RawCursor
from sqlalchemy import JSON, Boolean, Enum, Integer, event, text

from tests import databases
from tests.conftest import new_app
from tests.factories import MONDAY
from tradeboard.accounts import models as people
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.queries import signing_in
from tradeboard.api import queries as keys
from tradeboard.api.models import ApiKey
from tradeboard.blacklist import models as lists
from tradeboard.blacklist import queries as blacklist
from tradeboard.blacklist.queries import Question
from tradeboard.core.db import SQLITE_FORMAT, UtcDateTime, db
from tradeboard.core.transaction import transaction
from tradeboard.listings import models as board
from tradeboard.listings import services as listings
from tradeboard.listings.queries import due as ending
from tradeboard.notifications import models as mails
from tradeboard.notifications import queries as notifications
from tradeboard.trades import models as trading
from tradeboard.trades import queries as trades

MANY = 20_000
NOW = MONDAY + timedelta(days=30)
# One row in so many is due, so that an index is worth its while.
SELDOM = 1000
FEW = 2_000  # Of tables that are asked by their primary key alone.

# What a row of each table says; all else is made up from its number `n`.
TABLES = {
    people.Account: {"email_key": "'key' || n", "standing": "'good'"},
    people.Handle: {"account_id": "n", "skeleton": "'name' || n"},
    people.Device: {"code": "'D-' || n", "key": "'key' || n"},
    people.DeviceUse: {"account_id": "n", "device_id": "n"},
    people.Restriction: {"standing": "'held'", "until": "{some}", "ended_at": "{rest}"},
    people.Watch: {"signal": "'mailbox'", "hash": "'key' || n", "kid": "'k'"},
    people.Session: {"token_hash": "'hash' || n"},
    ApiKey: {"key_id": "'key' || n"},
    board.Listing: {"owner_id": "n", "state": "'open'", "expires_at": "{some}"},
    board.Line: {
        "listing_id": "n",
        "side": "'have'",
        "quantity": "3",
        "free": "3",
        "traded": "0",
    },
    trading.Trade: {
        "proposer_id": "(n % {many}) + 1",
        "state": "CASE n % 4 WHEN 0 THEN 'shipped' WHEN 1 THEN 'negotiating' "
        "WHEN 2 THEN 'agreed' ELSE 'phone_confirmed' END",
        "first_dispatched_at": "{at}",
        "due_at": "{some}",
        "answer_by": "{some}",
        "call_by": "{some}",
        "dispatch_by": "{some}",
        "numbers_until": "{some}",
        "extensions": "0",
    },
    trading.Leg: {"recipient_id": "(n % {many}) + 1", "state": "'not_sent'"},
    trading.OfferVersion: {"number": "1"},
    trading.OfferLine: {"offer_id": "n", "giver": "'poster'", "quantity": "1"},
    trading.Proposal: {"kind": "'extend'", "silent_until": "{some}"},
    trading.PhoneSide: {"account_id": "n"},
    trading.Message: {"author_id": "n"},
    lists.Entry: {
        "account_id": "n",
        "state": "CASE WHEN n % 2 = 0 THEN 'listed' ELSE 'held' END",
        "finding": "'never_dispatched'",
        "listed_at": "{at}",
        "list_at": "{some}",
        "undecided_at": "{some}",
        "expires_at": "{some}",
        "review_by": "{some}",
        "lift_reason": "NULL",
    },
    lists.EntryDevice: {"entry_id": "n", "device_id": "n", "code": "'D-' || n"},
    lists.Change: {"entry_id": "n", "type": "'listed'"},
    mails.OutboxMail: {
        "account_id": "n",
        "next_try_at": "{at}",
        "sent_at": "{rest}",
        "dead_at": "NULL",
        "key": "'due-3:' || n || ':' || n || ':' || 1",
    },
    mails.Notice: {"account_id": "n", "key": "'key' || n", "read_at": "{rest}"},
}
SMALL = {people.Session, ApiKey, mails.Notice}
BIG = {model.__tablename__ for model in TABLES}
# To walk along one of these in its order, until a page is full, is no scan.
WALKS = ("ix_entry_public", "ix_outbox_mail_waiting", "pk_")


@pytest.fixture(scope="module", params=databases.KINDS)
def full(request, tmp_path_factory, ring):
    """Make a database with many rows in each table, a statement each."""
    folder = tmp_path_factory.mktemp("plans")
    app = new_app(folder, ring, databases.url(request.param, folder))
    with app.app_context():
        with transaction():
            _without_checks()
            for model, says in TABLES.items():
                rows = FEW if model in SMALL else MANY
                db.session.execute(text(_filling(model, says, rows)))
            db.session.execute(text("ANALYZE"))
        yield app
        db.session.remove()
        db.engine.dispose()


def _without_checks():
    if db.engine.dialect.name == "sqlite":
        db.session.execute(text("PRAGMA defer_foreign_keys = ON"))
    else:
        db.session.execute(text("SET LOCAL statement_timeout = 0"))
        db.session.execute(text("SET LOCAL session_replication_role = replica"))


def _filling(model, says, rows):
    """Say in SQL how a table is filled."""
    table = model.__table__
    names = [f'"{column.name}"' for column in table.columns]
    values = [says.get(c.name) or _made_up(c) for c in table.columns]
    gaps = {"at": _at(MONDAY), "many": rows}
    due = f"CASE WHEN n % {SELDOM} < 4 THEN"
    gaps["some"] = f"{due} {_at(MONDAY)} ELSE {_at(LATER)} END"
    gaps["rest"] = f"{due} NULL ELSE {_at(MONDAY)} END"
    numbers = f"SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {rows}"
    series = f"WITH RECURSIVE s(n) AS ({numbers})"
    return (
        f'INSERT INTO "{table.name}" ({", ".join(names)}) {series} '
        f"SELECT {', '.join(values).format(**gaps)} FROM s"
    )


LATER = NOW + timedelta(days=300)


def _at(moment):
    if db.engine.dialect.name == "sqlite":
        return f"'{moment.strftime(SQLITE_FORMAT)}'"
    return f"TIMESTAMP WITH TIME ZONE '{moment.isoformat()}'"


def _made_up(column):
    kind = column.type
    if column.primary_key and isinstance(kind, Integer):
        return "n"
    if column.nullable:
        return "NULL"
    if isinstance(kind, Boolean):
        return "true"
    if isinstance(kind, Integer):
        return "n" if column.foreign_keys else "1"
    if isinstance(kind, JSON):
        return "'{{}}'"
    if isinstance(kind, Enum):
        return f"'{kind.enums[0]}'" if kind.enums else "'x'"
    if isinstance(kind, UtcDateTime):
        return "{at}"
    return "'x' || n"


@contextmanager
def explained():
    """Explain each statement of the block before it runs; collect the scans."""
    found: list[str] = []
    seen: list[str] = []
    on_sqlite = db.engine.dialect.name == "sqlite"
    words = "EXPLAIN QUERY PLAN" if on_sqlite else "EXPLAIN"

    def note(connection, cursor, statement, parameters, context, executemany):
        if not statement.startswith(("SELECT", "UPDATE", "WITH")):
            return
        seen.append(statement)
        # Of a prepared statement the pool's own is told.
        lent = connection if "$1" in statement else connection.connection
        driver = lent.dbapi_connection
        given = parameters[0] if executemany else parameters
        raw = driver.cursor()
        if "$1" in statement:
            raw, given = RawCursor(driver), [text and text.decode() for text in given]
        raw.execute(f"{words} {statement}", given)
        plan = "\n".join(str(row[-1]) for row in raw.fetchall())
        found.extend(f"{scan} <- {statement}\n{plan}" for scan in _scans(plan))

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        yield found, seen
    finally:
        event.remove(db.engine, "before_cursor_execute", note)


def _scans(plan):
    """Return which large table is read from end to end."""
    read = re.findall(r"^SCAN (\w+)(.*)", plan, re.M)
    read += re.findall(r"Seq Scan on (\w+)(.*)", plan)
    return [
        name
        for name, how in read
        if name in BIG and not any(walk in how for walk in WALKS)
    ]


def test_no_statement_reads_a_whole_table(full):
    hundred = [Question(handle=f"name{n}") for n in range(1, 51)]
    hundred += [Question(device=f"D-{n}") for n in range(51, 101)]
    asked = (
        # The sweep, lapses, expiry and erasure: each by its own clock.
        lambda: trades.overdue_trade_ids(NOW),
        lambda: trades.sweep_lag(NOW),
        lambda: trades.lock_overdue([4, 8, 12]),
        lambda: trades.records_of({4, 5, 6}),
        lambda: trades.answers_due(NOW),
        lambda: trades.quiet_trade_ids(NOW),
        lambda: trades.silent_proposal_ids(NOW),
        lambda: trades.numbers_due(NOW),
        lambda: ending.expired_ids(NOW),
        lambda: accounts.ended_restriction_ids(NOW),
        lambda: blacklist.withheld_ids(NOW),
        lambda: blacklist.undecided_ids(NOW),
        lambda: blacklist.expired_ids(NOW),
        lambda: blacklist.unreviewed_ids(NOW),
        lambda: notifications.due_ids(NOW),
        # What is asked before somebody may do something, and when it is done.
        lambda: accounts.get_account(5),
        lambda: accounts.restrictions_for([5, 6], ["entry:5"]),
        lambda: accounts.find_by_mailbox("nobody@example.com"),
        lambda: accounts.accounts_of_device(5),
        lambda: accounts.devices_used_in({7: accounts.Span(5, MONDAY, NOW)}),
        lambda: accounts.mailboxes_watched([5, 6]),
        lambda: signing_in.find_session("hash5", now=NOW),
        lambda: keys.find_key("key5"),
        lambda: listings.reserve({5: 1, 6: 1}, now=NOW),
        # Entries, look-ups and the feed.
        lambda: blacklist.find_entry(5, 5),
        lambda: blacklist.entered([5, 6]),
        lambda: blacklist.public_entries_of(5, 6),
        lambda: blacklist.newest_number(),
        lambda: blacklist.all_messages([5, 6]).all(),
        lambda: blacklist.notices_sent([5, 6]),
        lambda: blacklist.answer_for(handle="name5", now=NOW),
        lambda: blacklist.answer_for(device="D-0000-0005", now=NOW),
        lambda: blacklist.answer_for(handle="D-0000-0005", now=NOW),
        lambda: blacklist.answers_for(hundred, now=NOW),
        lambda: blacklist.public_page(),
        lambda: blacklist.changes_since(MANY - 50, 100),
        lambda: blacklist.last_bodies([5, 6]),
        # One's own pages.
        lambda: trades.list_own(5),
        lambda: trades.running_of(5),
        lambda: notifications.unread_count(5),
        lambda: notifications.notices_of(5),
    )

    with explained() as (scans, seen), transaction():
        for ask in asked:
            ask()

    assert len(seen) > len(asked)
    assert scans == []
