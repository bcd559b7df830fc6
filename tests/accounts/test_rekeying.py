import json
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.factories import MONDAY, count, make_account
from tests.races import race
from tradeboard.accounts import jobs, queries
from tradeboard.accounts.models import Account, StaffNote
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import RULES_VERSION
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.services import rekeying
from tradeboard.accounts.services.rekeying import Outcome
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction

A_DAY = timedelta(days=1)


def key(value, kid=None):
    return keyring.mac_hex("email", value, kid)


def stale(handle, email, *, days=0, confirmed=True, **columns):
    """Make an account as former rules left it, confirmed some days after Monday."""
    account = make_account(handle, email=email, confirmed=confirmed)
    with transaction():
        row = db.session.get(Account, account.id)
        row.email_key = key(f"as it was for {handle}")
        row.email_rules = 0
        if confirmed:
            row.email_confirmed_at = MONDAY + days * A_DAY
        for name, value in columns.items():
            setattr(row, name, value)
    return account.id


def rekey(account_id):
    with transaction():
        return rekeying.rekey(account_id, now=MONDAY)


def row(account_id):
    db.session.rollback()
    return db.session.get(Account, account_id, populate_existing=True)


@pytest.fixture
def rotated(app):
    """Let the hashes of mailboxes have a second key, which is in use."""
    ring = keyring.ring()
    keys = ring.keys | {"email": ring.keys["email"] | {"k2": b"2" * 32}}
    keyring.use(replace(ring, keys=keys, current=ring.current | {"email": "k2"}))
    yield
    keyring.use(ring)


def test_a_key_of_older_rules_is_made_anew(app):
    dora = stale("dora", "d.ora@gmail.com")

    assert rekey(dora).outcome is Outcome.DONE

    assert row(dora).email_key == key("dora@gmail.com")
    assert row(dora).email_rules == RULES_VERSION
    assert row(dora).email == "d.ora@gmail.com"
    assert rekey(dora).outcome is Outcome.AS_IT_WAS


def test_of_two_who_meet_the_later_keeps_the_former_key(app):
    late = stale("late", "ab@gmail.com", days=2)
    first = stale("first", "a.b@gmail.com", days=1)
    former = row(late).email_key

    assert jobs.recompute_keys(MONDAY) == 2

    assert row(first).email_key == key("ab@gmail.com")
    assert (row(first).email_rules, row(first).email_kept_rules) == (1, None)
    assert row(late).email_key == former
    assert (row(late).email_rules, row(late).email_kept_rules) == (0, RULES_VERSION)
    [note] = db.session.scalars(db.select(StaffNote)).all()
    assert (note.kind, note.account_id, note.other_id) == (
        NoteKind.KEYS_MEET,
        late,
        first,
    )
    assert jobs.recompute_keys(MONDAY) == 0
    assert count(StaffNote) == 1


def test_confirmed_at_the_same_moment_the_higher_number_is_later(app):
    first = stale("first", "a.b@gmail.com")
    late = stale("late", "ab@gmail.com")

    jobs.recompute_keys(MONDAY)

    assert row(first).email_rules == RULES_VERSION
    assert row(late).email_kept_rules == RULES_VERSION


def test_a_later_one_who_has_the_key_already_keeps_it(app):
    first = stale("first", "a.b@gmail.com", days=1)
    late = make_account("late", email="ab@gmail.com").id
    with transaction():
        db.session.get(Account, late).email_confirmed_at = MONDAY + 2 * A_DAY
    former = row(first).email_key

    found = rekey(first)

    assert (found.outcome, found.kept, found.other) == (Outcome.KEPT, late, first)
    assert row(late).email_key == key("ab@gmail.com")
    assert row(first).email_key == former
    assert rekey(first).outcome is Outcome.AS_IT_WAS
    assert count(StaffNote) == 1


def test_nobody_meets_who_is_closed_or_not_confirmed(app):
    closed = stale("closed", "a.b@gmail.com", closed_at=MONDAY)
    waiting = stale("waiting", "a.b@gmail.com", confirmed=False)
    live = stale("live", "ab@gmail.com")

    assert jobs.recompute_keys(MONDAY) == 3

    assert {row(one).email_key for one in (closed, waiting, live)} == {
        key("ab@gmail.com")
    }
    assert count(StaffNote) == 0


def test_an_address_that_is_none_any_more_still_has_a_key(app):
    dora = stale("dora", "Dora@localhost")

    rekey(dora)

    assert row(dora).email_key == key("dora@localhost")


def test_a_missing_account_is_no_failure(app):
    assert rekey(999_999).outcome is Outcome.AS_IT_WAS


def test_of_two_rekeyed_at_once_one_has_the_key(app):
    ids = [stale("first", "a.b@gmail.com"), stale("late", "ab@gmail.com", days=1)]

    outcomes = race(
        app, *(lambda one=one: rekeying.rekey(one, now=MONDAY) for one in ids)
    )

    assert set(outcomes) <= {"done", "Conflict"}
    jobs.recompute_keys(MONDAY)
    keys = [row(one).email_key for one in ids]
    assert keys.count(key("ab@gmail.com")) == 1
    assert mailboxes.stale_key_ids(RULES_VERSION, keyring.ring().kid("email")) == []


def test_the_job_takes_so_many_and_no_more(app):
    ids = [stale(f"p{'abc'[n]}", f"p{n}@example.com", days=-n) for n in range(3)]

    assert mailboxes.stale_key_ids(1, "k1", limit=2) == [ids[2], ids[1]]
    assert mailboxes.stale_key_ids(1, "k1", limit=2, offset=2) == [ids[0]]


def test_after_a_rotation_no_row_names_the_former_key(app, rotated):
    first = stale("first", "a.b@gmail.com", days=1)
    late = stale("late", "AB@gmail.com", days=2)
    later = stale("later", "a.b@gmail.com", days=3, email_kept_rules=RULES_VERSION)
    gone = stale("gone", "a.b@gmail.com", closed_at=MONDAY)
    alone = make_account("alone", email="alone@example.com").id
    with transaction():
        db.session.get(Account, alone).email_kid = "k1"
        db.session.get(Account, alone).email_key = key("alone@example.com", "k1")

    with transaction():
        counts = rekeying.rekey_all(now=MONDAY)

    assert (counts.done, counts.kept) == (5, 2)
    assert counts.met == [(late, first), (later, first)]
    assert count(Account, Account.email_kid != "k2") == 0
    assert row(first).email_key == row(gone).email_key == key("ab@gmail.com")
    assert row(late).email_key == key(f"ab@gmail.com {late}")
    assert row(later).email_key == key("a.b@gmail.com")
    assert row(late).email_kept_rules == RULES_VERSION
    assert row(alone).email_key == key("alone@example.com")
    [note] = db.session.scalars(db.select(StaffNote)).all()
    assert (note.account_id, note.other_id) == (late, first)
    assert queries.find_by_mailbox("ab@gmail.com").id == first
    assert jobs.recompute_keys(MONDAY) == 0


def test_a_rotation_leaves_the_same_when_it_is_done_again(app, rotated):
    stale("first", "a.b@gmail.com", days=1)
    stale("late", "ab@gmail.com", days=2)

    def after():
        with transaction():
            rekeying.rekey_all(now=MONDAY)
        return [one.email_key for one in db.session.scalars(db.select(Account))]

    assert after() == after()
    assert count(StaffNote) == 1


def test_one_who_kept_the_key_leaves_the_former_key_by_the_job_as_well(app, rotated):
    first = make_account("first", email="ab@gmail.com").id
    late = stale("late", "a.b@gmail.com", days=1, email_kept_rules=1, email_kid="k1")

    jobs.recompute_keys(MONDAY)

    assert (row(late).email_kid, row(late).email_key) == ("k2", key("a.b@gmail.com"))
    assert row(first).email_key == key("ab@gmail.com")
    assert count(StaffNote) == 0


def test_the_command_names_counts_and_those_who_meet(app):
    first = stale("first", "a.b@gmail.com", days=1)
    late = stale("late", "ab@gmail.com", days=2)
    stale("dora", "dora@example.com")
    former = row(late).email_key

    def run(*options):
        db.session.rollback()
        command = ["accounts", "recompute-keys", *options]
        found = app.test_cli_runner().invoke(args=command)
        assert found.exit_code == 0, found.output
        return found.stdout.splitlines()

    pair = {"kept": late, "other": first, "rules": RULES_VERSION}
    counts = {"done": 2, "collisions": 1, "failed": 0}

    tried = [json.loads(line) for line in run("--dry-run", "--json")]
    assert tried == [pair, counts | {"dry_run": True}]
    assert row(first).email_rules == 0
    assert count(StaffNote) == 0
    assert [json.loads(line) for line in run("--json")] == [
        pair,
        counts | {"dry_run": False},
    ]
    assert row(late).email_key == former
    assert run() == ["0 made anew, 0 collisions, 0 failed."]
    assert run("--dry-run")[0].startswith("Nothing was changed.")
