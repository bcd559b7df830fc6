"""People notice nothing when the keys are replaced."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import pages
from tests.accounts import held
from tests.accounts.conftest import device_cookie
from tests.accounts.test_registration import account_of, confirm, token_of
from tests.factories import MONDAY, PASSWORD, count, make_account
from tradeboard.accounts import passwords, queries
from tradeboard.accounts.models import Account, Device
from tradeboard.accounts.services import holds, watching
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.core.transaction import transaction


@pytest.fixture
def dora(app):
    """She has a password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def test_somebody_signs_in_from_a_browser_that_is_known(dora, sign_in, mails, rotate):
    client, _ = sign_in("dora")
    pages.submit(client, "/me", "/logout")
    before = db.session.scalars(select(Device)).one().code
    rotate()

    _, answer = sign_in("dora@example.com", client=client)

    assert answer.status_code == 303
    assert device_cookie(answer).startswith("device=v1.k2.")
    assert mails("new_device.txt") == []
    device = db.session.scalars(select(Device)).one()
    assert (device.code, device.kid) == (before, "k2")


def test_a_session_goes_on(alice, log_in, rotate):
    client = log_in(alice)
    first = pages.submit(client, "/me", "/preferences", button="English")
    rotate()

    second = pages.submit(client, "/me", "/preferences", button="日本語")

    assert (first.status_code, second.status_code) == (303, 303)
    assert count(Device) == 1


def test_a_taken_mailbox_is_known_again(alice, register, mails, rotate):
    rotate()

    register("emil", "ALICE@example.com")

    assert [name for name, _, _ in mails()] == ["has_account.txt"]


def test_a_mailbox_that_waited_for_its_link_is_one_persons(register, mails, rotate):
    register("dora", "do.ra@gmail.com")
    rotate()
    register("emil", "dora@googlemail.com")

    first, second = [token_of(mail) for mail in mails("confirm.txt")]

    assert confirm(second).handle == "emil"
    with pytest.raises(Conflict):
        confirm(first)
    assert {account_of(name).email_kid for name in ("dora", "emil")} == {"k2"}


def test_a_watched_mailbox_is_recognised_under_the_key_of_its_time(alice, rotate):
    with transaction():
        mailbox = (alice.email_key, alice.email_kid)
        watching.watch(
            alice.id, "entry:1", mailbox=mailbox, phones=[], devices=[], now=MONDAY
        )
    assert rotate("email")["email"]["dropped"] == []

    watch = queries.watched_mailbox("alice@example.com", now=MONDAY)

    assert (watch.account_id, watch.kid) == (alice.id, "k1")


def test_a_watched_number_is_recognised_under_the_key_of_its_time(alice, bob, rotate):
    held.watch_number(alice)
    assert rotate("phone")["phone"]["left"] == 1

    with transaction():
        someone = db.session.get(Account, bob.id)
        holds.number_sealed(someone, held.NUMBER, now=MONDAY + timedelta(days=1))

    assert queries.open_holds_of(bob.id)


def test_a_watched_browser_is_recognised_after_it_moved(alice, bob, log_in, rotate):
    client = log_in(alice)
    pages.submit(client, "/me", "/preferences", button="English")
    device = db.session.scalars(select(Device)).one()
    held.watch_device(alice, device)
    cookie = client.get_cookie("device").value
    rotate()

    other = log_in(bob)
    other.set_cookie("device", cookie)
    pages.submit(other, "/me", "/preferences", button="English")

    assert count(Device) == 1
    assert queries.open_holds_of(bob.id)
