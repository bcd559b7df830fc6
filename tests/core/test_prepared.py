"""Statements that stand alone say what they would say through SQLAlchemy."""

from contextlib import suppress
from datetime import timedelta
from functools import partial

import psycopg
import pytest
from flask import current_app
from sqlalchemy import String, bindparam, insert, literal_column, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm.exc import StaleDataError

from tests.factories import MONDAY, make_account
from tradeboard.core import counts, prepared, throttle, trips
from tradeboard.core.among import Among
from tradeboard.core.compiling import compiled
from tradeboard.core.counts import Count, ThrottleBucket
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.core.postgres import Connection
from tradeboard.core.transaction import transaction
from tradeboard.notifications.models import OutboxMail
from tradeboard.web import acting, throttling

ODD = ["竜", 'a"b', "a\\b", "{a,b}", "'; --", "NULL", "", " ", "%", "🎴"]
ON_POSTGRESQL = pytest.mark.parametrize("app", ["postgresql"], indirect=True)
BUCKET = ThrottleBucket.__table__
ROWS = (
    select(BUCKET.c.key, BUCKET.c.count, BUCKET.c.expires_at)
    .where(Among(BUCKET.c.key, "keys"))
    .order_by(BUCKET.c.count)
)
ONE = select(BUCKET.c.count).where(BUCKET.c.key == bindparam("key", type_=String))
NEW = insert(BUCKET)
BROKEN = select(BUCKET.c.count / literal_column("count('x', 'y')"))


@pytest.fixture
def odd(app):
    """Keep a row under each odd key."""
    with transaction():
        for number, key in enumerate(ODD):
            at = MONDAY + timedelta(microseconds=number)
            db.session.add(ThrottleBucket(key=key, count=number, expires_at=at))


def test_whatever_a_text_holds_it_is_found_and_nothing_else(odd):
    found = prepared.alone(ROWS, {"keys": ODD})

    assert [tuple(row) for row in found] == [
        tuple(row) for row in prepared.in_session(ROWS, {"keys": ODD})
    ]
    assert [row[0] for row in found] == ODD
    assert found[1][2] == MONDAY + timedelta(microseconds=1)
    assert list(prepared.alone(ROWS, {"keys": []})) == []
    for number, key in enumerate(ODD):
        assert [tuple(row) for row in prepared.alone(ONE, {"key": key})] == [(number,)]
    assert list(prepared.alone(ONE, {"key": None})) == []


def test_a_text_with_nul_is_never_cut_short_and_found(odd):
    with pytest.raises(ValueError, match="NUL"):
        prepared.alone(ROWS, {"keys": ["竜", "竜\0x"]})
    if db.engine.dialect.name == "sqlite":
        assert list(prepared.alone(ONE, {"key": "竜\0x"})) == []
    else:
        with pytest.raises(ValueError, match="NUL"):
            prepared.alone(ONE, {"key": "竜\0x"})


def test_a_name_stands_for_one_text_in_every_process():
    again = select(BUCKET.c.count).where(BUCKET.c.key == bindparam("key", type_=String))
    names = [compiled(one, "postgresql").name for one in (ONE, again, ROWS)]

    assert names[0] == names[1] != names[2]
    assert len(names[0]) < 64  # PostgreSQL would cut it short.


@ON_POSTGRESQL
def test_what_is_no_answer_is_never_taken_for_nothing_found(app):
    with prepared.lent(db.engine) as pooled:
        odd = pooled.dbapi_connection.pgconn.exec_(b"")

        with pytest.raises(db.engine.dialect.dbapi.Error):
            trips.require_good(db.engine.dialect, odd)


@pytest.fixture
def forgetful(odd):
    """Let the pool's only connection forget what was prepared on it, unnoticed."""
    db.session.rollback()
    db.engine.dispose()
    assert len(prepared.alone(ONE, {"key": "竜"})) == 1
    with prepared.lent(db.engine) as pooled:
        name = compiled(ONE, "postgresql").name
        pooled.dbapi_connection.pgconn.exec_(b"DEALLOCATE " + name)


@ON_POSTGRESQL
def test_a_connection_that_forgot_what_it_prepared_goes_on(forgetful):
    assert len(prepared.alone(ONE, {"key": "竜"})) == 1


@ON_POSTGRESQL
def test_what_the_driver_prepared_itself_stays_good(app):
    with prepared.lent(db.engine) as pooled:
        driver = pooled.dbapi_connection
        for _ in range(3):
            for _ in range(driver.prepare_threshold + 2):
                driver.execute("SELECT 1 + %s", [1])
            driver.commit()
            known = compiled(ONE, "postgresql")
            prepared.run(db.engine, pooled, ONE, {"key": "k"})
            driver.forget(known.name)
            prepared.run(db.engine, pooled, ONE, {"key": "k"})
            driver.pgconn.exec_(b"DEALLOCATE " + known.name)
            prepared.run(db.engine, pooled, ONE, {"key": "k"})
            assert driver.execute("SELECT 1 + %s", [1]).fetchone() == (2,)
            driver.commit()
            driver.known.discard(known.name)
            assert list(prepared.run(db.engine, pooled, ONE, {"key": "k"})) == []
        driver.commit()


def test_a_mistake_is_an_error_of_the_database_and_ends_its_connection(odd):
    with pytest.raises(DBAPIError):
        prepared.alone(BROKEN, {})

    assert len(prepared.alone(ONE, {"key": "竜"})) == 1


def test_inside_a_transaction_its_own_changes_are_seen(app):
    with transaction():
        db.session.add(ThrottleBucket(key="k", count=7, expires_at=MONDAY))
        db.session.flush()
        assert [row[0] for row in prepared.alone(ONE, {"key": "k"})] == [7]


def test_a_change_in_the_session_goes_with_its_transaction(app):
    row, seen = {"key": "k", "count": 1, "expires_at": MONDAY}, []
    for _ in range(3):
        acting.rehearse(
            lambda: prepared.in_session(NEW, row),
            lambda: seen.append(prepared.in_session(ONE, {"key": "k"})[0][0]),
        )
        assert list(prepared.alone(ONE, {"key": "k"})) == []

    assert seen == [1, 1, 1]
    with transaction():
        prepared.in_session(NEW, row)
    assert [row[0] for row in prepared.alone(ONE, {"key": "k"})] == [1]


def test_a_row_that_is_there_already_is_an_integrity_error(odd):
    for _ in range(2):
        with pytest.raises(IntegrityError), transaction():
            prepared.in_session(NEW, {"key": "竜", "count": 1, "expires_at": MONDAY})

    with transaction():
        prepared.in_session(NEW, {"key": "新", "count": 1, "expires_at": MONDAY})


def test_who_only_reads_changes_nothing(app):
    with pytest.raises(DBAPIError):
        prepared.in_session(NEW, {"key": "k", "count": 1, "expires_at": MONDAY})
    db.session.rollback()

    assert list(prepared.alone(ONE, {"key": "k"})) == []


def new(key):
    """Return a row under a key."""
    return {"key": key, "count": 1, "expires_at": MONDAY}


def keys_of(rows):
    """Return what stands in the first column."""
    return [row[0] for row in rows]


def test_what_goes_later_is_there_for_whoever_asks_next_and_after_the_end(app):
    with transaction():
        prepared.later(NEW, new("竜"))
        prepared.later(NEW, new("%"))
        assert len(prepared.in_session(ROWS, {"keys": ODD})) == 2
        prepared.later(NEW, new(" "))
        assert db.session.query(ThrottleBucket).count() == 3
        prepared.later(NEW, new(""))
        db.session.add(ThrottleBucket(**new("🎴")))
        db.session.flush()
        prepared.later(NEW, new("NULL"))

    found = prepared.alone(ROWS, {"keys": ODD})
    assert set(keys_of(found)) == {"竜", "%", " ", "", "🎴", "NULL"}


def test_several_are_asked_in_their_order_and_answered_in_it(odd):
    with transaction():
        prepared.later(NEW, new("k"))
        first, none, others = prepared.together(
            (ONE, {"key": "k"}), (ONE, {"key": "nobody"}), (ROWS, {"keys": ODD})
        )

    assert (keys_of(first), list(none), keys_of(others)) == ([1], [], ODD)


@ON_POSTGRESQL
def test_what_goes_later_takes_no_trip_of_its_own(app, monkeypatch):
    trips = []
    ask = Connection.ask_each
    monkeypatch.setattr(
        Connection,
        "ask_each",
        lambda self, asked, **named: (
            trips.append(len(asked)) or ask(self, asked, **named)
        ),
    )
    with transaction():
        for key in ODD[:3]:
            prepared.later(NEW, new(key))
        prepared.together((ONE, {"key": "竜"}), (ONE, {"key": "k"}))
        for key in ODD[3:]:
            prepared.later(NEW, new(key))

    assert trips == [5, len(ODD) - 3]
    assert len(prepared.alone(ROWS, {"keys": ODD})) == len(ODD)


def in_turn(*steps):
    """Do each of these in one transaction."""
    with transaction():
        for step in steps:
            step()


def add(*keys):
    """Add rows under these keys, later."""
    for key in keys:
        prepared.later(NEW, new(key))


def ask():
    """Ask something that changes nothing."""
    return prepared.in_session(ONE, {"key": "k"})


def give_up():
    """Break off what a verb has begun."""
    raise Conflict("…")


@pytest.mark.parametrize("end", [(), (ask,), (db.session.flush,)])
def test_what_breaks_later_leaves_nothing_behind(odd, end):
    with pytest.raises(IntegrityError):
        in_turn(partial(add, "k", "竜", "l"), *end)

    assert list(prepared.alone(ROWS, {"keys": ["k", "l"]})) == []
    in_turn(partial(add, "k"))
    assert len(prepared.alone(ONE, {"key": "k"})) == 1


@pytest.mark.parametrize("end", [(give_up,), (ask, give_up)])
def test_what_is_undone_was_never_sent_or_is_taken_back(app, end):
    with pytest.raises(Conflict):
        in_turn(partial(add, "k"), *end)
    in_turn(ask)

    assert list(prepared.alone(ONE, {"key": "k"})) == []


def test_who_wants_to_know_may_refuse_before_anything_is_kept(app):
    seen = []

    def refuse(rows):
        seen.append(list(rows))
        give_up()

    with pytest.raises(Conflict):
        in_turn(
            partial(add, "k"),
            partial(prepared.later, ONE, {"key": "nobody"}, then=refuse),
        )

    assert seen == [[]]
    assert list(prepared.alone(ONE, {"key": "k"})) == []


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_refusal_that_nobody_heard_ends_the_transaction_all_the_same(app, goes_on):
    """Whoever asks next may be a part that swallows what fails on it."""

    def refuse(rows):
        raise StaleDataError("somebody was faster")

    def ask_deaf():
        with suppress(StaleDataError):
            db.session.scalar(select(BUCKET.c.count))

    with pytest.raises(StaleDataError):
        in_turn(
            partial(add, "k"),
            partial(prepared.later, ONE, {"key": "nobody"}, then=refuse),
            ask_deaf,
            *[partial(add, "l")] * goes_on,
        )

    assert list(prepared.alone(ROWS, {"keys": ["k", "l"]})) == []
    in_turn(partial(add, "k"))
    assert len(prepared.alone(ONE, {"key": "k"})) == 1


def test_a_failure_that_nobody_heard_is_no_commit(odd):
    def ask_deaf():
        with suppress(IntegrityError):
            prepared.in_session(NEW, new("竜"))

    def go_on():
        with suppress(DBAPIError):
            ask()

    if db.engine.dialect.name == "sqlite":  # There a statement fails alone.
        in_turn(partial(add, "k"), ask_deaf, go_on)
        assert len(prepared.alone(ONE, {"key": "k"})) == 1
        return
    with pytest.raises(DBAPIError):
        in_turn(partial(add, "k"), ask_deaf, go_on)
    assert list(prepared.alone(ONE, {"key": "k"})) == []


def test_whoever_ends_a_transaction_inside_of_it_keeps_nothing(app):
    with pytest.raises(RuntimeError, match="ended inside"):
        in_turn(partial(add, "k"), ask, db.session.rollback, partial(add, "l"))

    assert list(prepared.alone(ROWS, {"keys": ["k", "l"]})) == []


@ON_POSTGRESQL
def test_who_is_cut_off_gets_an_error_and_then_another_line(app):
    def cut_off():
        line = db.session.connection().connection.dbapi_connection
        with psycopg.connect(line.info.dsn) as other:
            pid = line.info.backend_pid
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    with pytest.raises(DBAPIError):
        in_turn(ask, cut_off, partial(add, "k", "l"))

    in_turn(partial(add, "k"))
    assert len(prepared.alone(ROWS, {"keys": ["k", "l"]})) == 1


@pytest.mark.parametrize("number", [1, 2, prepared.FEW, prepared.FEW + 1])
def test_rows_are_added_with_their_facts_and_defaults(app, number):
    alice = make_account("alice").id
    facts = {"words": ODD, "n": None}
    rows = [
        {
            "key": f"k{at}",
            "account_id": alice,
            "to": "alice@example.com",
            "language": "ja",
            "template": "trades/mail/offer.txt",
            "facts": facts,
            "message_id": f"m{at}",
            "queued_at": MONDAY,
            "next_try_at": MONDAY,
        }
        for at in range(number)
    ]
    with transaction():
        prepared.each(insert(OutboxMail.__table__), rows)
        prepared.each(insert(OutboxMail.__table__), [])

    kept = db.session.scalars(select(OutboxMail).order_by(OutboxMail.id)).all()
    assert [mail.key for mail in kept] == [row["key"] for row in rows]
    assert all((mail.facts, mail.queued_at) == (facts, MONDAY) for mail in kept)
    assert {mail.tries for mail in kept} == {0}


def test_a_list_that_would_be_part_of_the_text_is_refused():
    listed = select(BUCKET.c.count).where(BUCKET.c.key.in_(["a", "b"]))

    with pytest.raises(TypeError, match="list"):
        compiled(listed, "postgresql")


@ON_POSTGRESQL
def test_a_plan_of_before_a_migration_ends_one_try_and_no_more(forgetful):
    tries = []

    def verb():
        tries.append(len(tries))
        assert len(prepared.in_session(ONE, {"key": "竜"})) == 1
        return "/"

    with current_app.test_request_context("/", method="POST"):
        answer = acting.act(None, verb, by_id=1)

    assert (answer.status_code, tries) == (303, [0, 1])


def test_several_rates_are_one_statement_and_stop_at_the_first_used_up(app, statements):
    rates = [
        throttling.Rate("one", "dora", "9 per hour"),
        throttling.Rate("two", "dora", "2 per hour", 2),
        throttling.Rate("three", "dora", "9 per hour"),
    ]
    with statements() as seen:
        throttling.limit_each(*rates)
    with pytest.raises(throttling.TooMany):
        throttling.limit_each(*rates)

    assert len(seen) == (3 if db.engine.dialect.name == "sqlite" else 1)
    left = [throttling.left(one.name, one.key, one.rate) for one in rates]
    assert left == [7, 0, 8]


def test_what_is_read_beside_a_count_is_read_within_it_alone(odd):
    count = Count("asked", 1, 60, 2)

    found = [throttle.count_each([count], ROWS, {"keys": ODD[:2]}) for _ in range(3)]

    assert [reached for reached, _ in found] == [[1], [2], [3]]
    assert [[row[0] for row in rows] for _, rows in found] == [ODD[:2], ODD[:2], []]
    nothing = throttle.count_each([Count("other", 1, 60, 2)], ROWS, {"keys": []})
    assert nothing == ([1], [])
    assert counts.counting(1, ROWS) is counts.counting(1, ROWS)
