"""What only a program sends is answered as always, and does nothing."""

import re

import pytest

from tests import pages
from tests.factories import PASSWORD, count, make_account
from tradeboard.accounts.models import Account

DORA = {"handle": "dora", "email": "dora@example.com", "password": PASSWORD}
FORMS = {
    "/register": DORA,
    "/confirm/resend": {"email": "wait1@example.com"},
    "/reset": {"email": "alice@example.com"},
}


@pytest.fixture
def waiting(app):
    """Return somebody whose address is not confirmed."""
    return make_account("wait1", confirmed=False)


@pytest.fixture
def strict(app, monkeypatch):
    """Ask for as many seconds as the board asks for."""
    monkeypatch.setitem(app.config, "QUICKEST_FORM", 2)


def send(app, path, **more):
    """Send a form at once; return what a browser sees of the answer."""
    answer = pages.submit(app.test_client(), path, path, **FORMS[path] | more)
    return answer.status_code, answer.location, pages.text(answer.text)


def test_a_form_with_the_unseen_field_filled_does_nothing(app, alice, waiting, mails):
    before = count(Account)
    unseen = {path: send(app, path, homepage="http://a.example") for path in FORMS}
    assert (count(Account), mails()) == (before, [])

    assert unseen == {path: send(app, path) for path in FORMS}
    assert count(Account) == before + 1
    assert sorted(name for name, *_ in mails()) == [
        "confirm.txt",
        "confirm.txt",
        "reset.txt",
    ]


def test_a_form_that_comes_too_soon_does_nothing_until_sent_again(
    app, alice, waiting, strict, mails
):
    before = count(Account)
    for path in FORMS:
        assert send(app, path)[0] in (200, 303)
    client = app.test_client()
    page = pages.get(client, "/register")
    pressed = pages.send(client, "/register", page, "/register", **DORA)
    assert (count(Account), mails()) == (before, [])

    app.config["QUICKEST_FORM"] = 0
    again = pages.send(client, "/register", page, "/register", **DORA)

    assert (pressed.status_code, pressed.location) == (
        again.status_code,
        again.location,
    )
    assert count(Account) == before + 1


def test_a_moment_that_cannot_be_read_asks_to_send_again(app):
    client = app.test_client()
    answer = pages.submit(client, "/register", "/register", **DORA, shown="18.forged")
    assert answer.status_code == 422
    assert "もう一度送ってください。" in answer.text
    assert count(Account) == 0

    again = pages.send(client, "/register", answer.text, "/register", password=PASSWORD)

    assert again.status_code == 303
    assert count(Account) == 1


def test_people_neither_see_nor_hear_nor_reach_the_unseen_field(app):
    for path in FORMS:
        page = pages.get(app.test_client(), path)
        (field,) = re.findall(r"<div hidden>.*?(<input.*?name=\"homepage\".*?>)", page)
        assert 'tabindex="-1"' in field
        assert 'autocomplete="off"' in field
        assert 'value=""' in field
