"""Whoever changes the log, past triggers and models, is found out."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from tests.audit import chains
from tests.audit.chains import ROWS, anchor, copy, put_back, record, run, verify
from tests.factories import MONDAY, count
from tests.soaks import chain, guarantees
from tradeboard.audit import queries, rules, services
from tradeboard.audit.models import AuditRow
from tradeboard.audit.rules import Wrong
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.transaction import transaction


@pytest.fixture
def log(app):
    """Return the anchor of a log of twelve rows in four transactions."""
    for number in range(ROWS // 3):
        record(*(f"entry:{number}" for _ in range(3)))
    return anchor()


def objects():
    db.session.rollback()
    return db.session.scalars(select(AuditRow.object).order_by(AuditRow.seq)).all()


def test_every_way_of_tampering_is_found_and_nothing_else(log):
    whole = copy()

    for tamper, found in chains.TAMPERS:
        assert verify(log) is None
        tamper()
        assert verify(log) == found, tamper.__name__
        put_back(whole)

    assert verify(log) is None


def test_a_log_of_another_key_is_found_whatever_it_is_called(log):
    chains.replace_all(kid="k7")
    assert verify(log) == (1, Wrong.KEY)

    chains.replace_all(key=keyring.key("audit", "k1"))
    assert verify() is None
    assert verify(log) == (12, Wrong.REPLACED)

    chains.replace_all(key=keyring.key("audit", "k1"), rows=3)
    assert verify(log) == (4, Wrong.OLDER)


def test_an_old_backup_is_older_than_an_anchor(log, tmp_path):
    restore = chains.backup(tmp_path)
    record("entry:98", "entry:99")
    later = anchor()
    assert verify(log, later) is None

    restore()

    assert verify(log) is None
    assert verify(log, later) == (13, Wrong.OLDER)
    # What is recorded from now on takes the numbers anew, and still shows.
    record("entry:1", "entry:2", "entry:3")
    assert verify() is None
    assert verify(log, later) == (14, Wrong.REPLACED)


def test_a_head_that_does_not_match_is_found(log):
    run("UPDATE audit_head SET seq = 9, hash = :hash", hash=log.hash)
    assert verify() == (10, Wrong.HEAD)

    run("UPDATE audit_head SET seq = 12, hash = :hash", hash="a" * 64)
    assert verify() == (12, Wrong.HEAD)

    run("DELETE FROM audit_head")
    assert verify() == (0, Wrong.HEAD)
    with pytest.raises(RuntimeError, match="head"):
        record("entry:1")
    run("INSERT INTO audit_head VALUES (1, 12, :hash)", hash=log.hash)
    assert verify(log) is None


def test_rows_from_before_the_chain_stand_below_it_alone(app):
    old = "INSERT INTO audit_row (seq, at, action, object, body) VALUES "
    at = "'2026-06-01T12:00:00.000000Z'"
    # Numbers had gaps then, and some came after the tables were made ready.
    run(f"{old} (2, {at}, 'look', 'entry:1', '{{}}')")
    run(f"{old} (5, {at}, 'look', 'entry:2', '{{}}')")
    assert verify() is None
    record("entry:3", "entry:4")

    verified = queries.verify()

    assert (verified.seq, verified.rows, verified.unchained) == (7, 2, 2)
    run(f"{old} (8, {at}, 'look', 'entry:5', '{{}}')")
    assert verify() == (8, Wrong.INSERTED)


def test_rows_stripped_of_their_links_are_found(log):
    run("UPDATE audit_row SET kid = NULL, prev_hash = NULL, hash = NULL WHERE seq < 6")
    assert verify() == (6, Wrong.REORDERED)

    run(
        "UPDATE audit_row SET kid = NULL, prev_hash = NULL, hash = NULL",
        "UPDATE audit_head SET hash = :hash",
        hash=rules.GENESIS,
    )
    assert verify(log) == (12, Wrong.REPLACED)


def test_each_key_that_a_row_names_is_asked(app, monkeypatch):
    record("entry:1")
    ring = keyring.ring()
    newer = {**ring.keys["audit"], "k2": b"2" * 32}
    keys = {**ring.keys, "audit": newer}
    monkeypatch.setattr(
        keyring._Holder,
        "ring",
        keyring.Keyring(keys, {**ring.current, "audit": "k2"}),
    )
    record("entry:2")

    assert verify() is None
    assert db.session.scalars(select(AuditRow.kid).order_by(AuditRow.seq)).all() == [
        "k1",
        "k2",
    ]


def test_a_long_log_is_read_some_rows_at_a_time(app, monkeypatch, statements):
    monkeypatch.setattr(queries, "AT_ONCE", 4)
    record(*(f"entry:{number}" for number in range(10)))
    lines = [anchor()] * 9 + [None]

    db.session.rollback()
    with statements() as seen:
        verified = queries.verify(lines)

    assert (verified.rows, verified.anchors, verified.unreadable) == (10, 9, 1)
    assert len(seen) == 1 + 4 + 3


def test_appending_costs_three_statements_however_much_was_recorded(app, statements):
    record("entry:1")

    for number in (1, 30):
        with statements() as seen:
            record(*(f"entry:{n}" for n in range(number)))
        verbs = [statement.split()[0] for statement in seen]
        assert verbs == ["SELECT", "INSERT", "UPDATE"]
    if db.engine.dialect.name == "postgresql":
        assert seen[0].endswith("FOR UPDATE")


def test_a_reader_in_the_same_transaction_sees_what_was_recorded(app):
    with transaction():
        services.record("look", "entry:1", by_id=1, now=MONDAY)
        assert [row.object for row in queries.newest()] == ["entry:1"]
        services.record("look", "entry:2", by_id=1, now=MONDAY)
        assert count(AuditRow) == 2

    assert objects() == ["entry:1", "entry:2"]
    assert verify() is None


def test_what_was_recorded_in_a_savepoint_goes_and_stays_with_it(app):
    def note(number):
        services.record("look", f"entry:{number}", by_id=1, now=MONDAY)

    with transaction():
        note(1)
        with db.session.begin_nested() as savepoint:
            note(2)
            assert count(AuditRow) == 2  # Both are appended, within the savepoint.
            savepoint.rollback()
        with db.session.begin_nested():
            note(3)
            with db.session.begin_nested() as savepoint:
                note(4)
                savepoint.rollback()
        with db.session.begin_nested() as savepoint:
            note(5)
            with db.session.begin_nested():
                note(6)
            assert count(AuditRow) == 4
            savepoint.rollback()
        note(7)

    assert objects() == ["entry:1", "entry:3", "entry:7"]
    assert verify() is None


def test_what_was_rolled_back_does_not_come_with_the_next(app):
    def fail():
        with transaction():
            services.record("look", "entry:1", by_id=1, now=MONDAY)
            assert count(AuditRow) == 1
            services.record("look", "entry:2", by_id=1, now=MONDAY)
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    record("entry:3")

    assert objects() == ["entry:3"]
    assert verify() is None


def test_nothing_is_recorded_outside_a_transaction(app):
    with pytest.raises(RuntimeError):
        services.record("look", "entry:1", by_id=1, now=MONDAY)


def test_a_body_is_kept_as_it_was_when_it_was_recorded(app):
    known = {"parts": (1, 2), "in": [{"b": 1, "a": None}], "text": "ä\0\ud800"[:2]}
    with transaction():
        services.record("look", "entry:1", by_id=None, now=MONDAY, **known)
        known["in"].append("later")

    assert verify() is None
    assert db.session.scalars(select(AuditRow)).one().body["in"] == [
        {"b": 1, "a": None}
    ]
    with pytest.raises(TypeError), transaction():
        services.record("look", "entry:1", by_id=None, now=MONDAY, at=MONDAY)


def test_the_head_is_the_last_thing_that_a_transaction_locks(app, statements):
    with statements() as seen, transaction():
        services.record("look", "entry:1", by_id=1, now=MONDAY)
        count(JobRun)
        db.session.add(JobRun(name="a job"))

    places = [number for number, sql in enumerate(seen) if "audit_" in sql]
    [job] = [number for number, sql in enumerate(seen) if "INTO job_run" in sql]
    assert job < min(places)
    assert places == list(range(min(places), len(seen)))


def test_several_who_write_at_once_leave_no_gap(app):
    seed = guarantees.seed()

    def write(seed):
        with app.app_context():
            return chain.write(seed, 20)[0]

    chain.make_rows()
    with ThreadPoolExecutor(2) as pool:
        kept = sum(pool.map(write, (seed, seed + 1)))

    assert verify() is None, seed
    seqs = db.session.scalars(select(AuditRow.seq).order_by(AuditRow.seq)).all()
    assert seqs == list(range(1, kept + 1)), seed
