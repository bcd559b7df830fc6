"""Ways around a bar, or to somebody else's harm, that were open once."""

from datetime import timedelta

import pytest

from tests.blacklist import cases
from tests.factories import DUE, MONDAY, PASSWORD, look_anew, make_account
from tradeboard.accounts import queries, tokens
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.email import check_email, providers
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.services import address, registration, rekeying, suspension
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.core.transaction import transaction
from tradeboard.profiles import services as profiles

A_DAY = timedelta(days=1)


def anew(account):
    look_anew()
    return db.session.get_one(Account, account.id)


def register_and_confirm(handle, email, now):
    application = registration.prepare(handle, email, PASSWORD)
    with transaction():
        account = registration.register(application, now=now)
        token = tokens.issue(account, "confirm", now=now)
    with transaction():
        registration.confirm(token, now=now)
    return account


def test_whoever_leaves_under_a_held_entry_and_returns_is_noted(
    app, alice, bob, moderator
):
    trade = cases.both_sent(alice, bob)
    cases.receive(trade, alice)
    cases.contest(trade, bob)
    sweep_overdue_trades(DUE)
    with transaction():
        profiles.close(anew(bob), now=DUE + A_DAY)
    again = register_and_confirm("robert", "bob@example.com", DUE + 2 * A_DAY)

    cases.uphold(cases.entry_of(bob, trade), moderator, now=DUE + 3 * A_DAY)

    (note,) = queries.open_notes()
    assert (note.kind, note.account_id) == (NoteKind.KEYS_MEET, again.id)


def test_a_suspended_person_frees_no_mailbox_by_moving(app, bob, moderator):
    with transaction():
        suspension.suspend(bob.id, "terms", until=None, by=moderator, now=MONDAY)
    with transaction():
        person = db.session.get_one(Account, bob.id)
        token = tokens.issue(person, "change", email="second@example.org", now=MONDAY)
    with transaction():
        address.change(token, now=MONDAY)

    with pytest.raises(Conflict):
        register_and_confirm("robert", "bob@example.com", MONDAY)


def test_new_rules_still_know_the_mailbox_of_a_listed_person_who_left(
    app, alice, monkeypatch
):
    dotty = make_account("dotty", email="d.otty@newmail.example")
    cases.listed(alice, dotty)
    with transaction():
        profiles.close(anew(dotty), now=DUE + A_DAY)
    dots_do_not_count = ("newmail.example", ".")
    monkeypatch.setitem(providers._SAME_MAILBOX, "newmail.example", dots_do_not_count)

    with transaction():
        rekeying.rekey(dotty.id, version=2, now=DUE + A_DAY)

    mailbox = check_email("d.otty@newmail.example").key
    assert queries.watched_mailbox(mailbox, now=DUE + A_DAY) is not None


def test_a_stranger_uses_up_nobodys_mailbox(app, register):
    for n in range(10):
        register(f"stranger{n}x", "victim@example.com")
    owner = app.test_client()
    owner.environ_base["REMOTE_ADDR"] = "198.51.100.7"

    _, answer = register("thevictim", "victim@example.com", client=owner)

    assert answer.status_code == 303
