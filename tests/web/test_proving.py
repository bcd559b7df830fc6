"""What is important is asked for again, ten minutes after one was last sure."""

from datetime import timedelta

import pytest
import time_machine

from tests import pages
from tests.factories import PASSWORD, give_factor, make_account
from tradeboard.accounts import passwords, totp
from tradeboard.accounts.models import Session
from tradeboard.core.db import db
from tradeboard.web import access, proving

A_SECOND = timedelta(seconds=1)
A_LONG_NOTE = "三時間かけて書いたメモ。\n二行目もあります。" * 3


@pytest.fixture
def dora(app):
    """She has a password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def proved_at():
    db.session.rollback()
    (row,) = db.session.query(Session).filter(Session.revoked_at.is_(None)).all()
    return row.proved_at


def test_after_ten_minutes_a_page_asks_and_leads_back_with_a_new_id(dora, log_in):
    client = log_in(dora)
    limit = proved_at() + proving.GOOD_FOR
    with time_machine.travel(limit - A_SECOND, tick=False):
        assert client.get("/me/security").status_code == 200
        assert client.get("/login/again").location == "/todo"
    with time_machine.travel(limit, tick=False):
        asked = client.get("/me/security")
        assert asked.location == "/login/again?next=/me/security"
        old = client.get_cookie("session").value
        wrong = pages.submit(client, asked.location, password="wrong wrong wrong")
        assert wrong.status_code == 422
        assert client.get("/me/security").status_code == 303
        right = pages.submit(client, asked.location, password=PASSWORD)
        assert right.location == "/me/security"
        assert client.get("/me/security").status_code == 200
        copy = client.application.test_client()
        copy.set_cookie("session", old)
        assert copy.get("/me").status_code == 303


def test_what_staff_writes_waits_and_nothing_typed_is_lost(app, dora, log_in):
    mod = make_account(
        "mod", role="moderator", password_hash=passwords.hash_password(PASSWORD)
    )
    client = log_in(mod)
    page = f"/desk/people/{dora.id}"
    action = f"{page}/remarks"
    html = pages.get(client, page)
    with time_machine.travel(proved_at() + proving.GOOD_FOR, tick=False):
        assert client.get(page).status_code == 200
        sent = pages.send(client, page, html, action, words=A_LONG_NOTE)
        assert sent.status_code == 401
        asked = sent.get_data(as_text=True)
        shown = pages.send(client, action, asked, "/login/again", password=PASSWORD)
        again = shown.get_data(as_text=True)
        form = pages.find_form(again)
        assert (form.action, form.values()["words"]) == (action, A_LONG_NOTE)
        done = pages.send(client, action, again, action)
        assert done.location == page
        assert "二行目もあります" in pages.text(pages.get(client, page))
        looked = pages.submit(client, "/desk/people", typed="dora")
        assert looked.status_code == 303


def test_whoever_has_an_app_is_asked_for_its_code_alone(app, dora, log_in):
    secret, _ = give_factor(dora)
    client = log_in(dora)
    limit = proved_at() + proving.GOOD_FOR
    with time_machine.travel(limit, tick=False):
        asked = client.get("/me/security").location
        form = pages.find_form(pages.get(client, asked), "/login/again")
        assert ("code" in form.names, "password" in form.names) == (True, False)
        wrong = pages.submit(client, asked, code="000000")
        right = pages.submit(client, asked, code=totp.code_at(secret, limit))
        assert (wrong.status_code, right.location) == (422, "/me/security")
        assert client.get("/me/security").status_code == 200


def test_every_name_of_the_table_is_a_view(app):
    named = proving.ASKED_FOR | proving.ASK_THEMSELVES | proving.STAFF_LOOKS

    assert named - set(app.view_functions) == set()
    assert access.WITHOUT_SECOND_FACTOR - set(app.view_functions) == set()


def test_forms_that_ask_themselves_ask_each_time(app, dora, log_in):
    client = log_in(dora)
    for path in (
        "/me/email",
        "/me/password",
        "/me/api-keys",
        "/me/export",
        "/me/close",
    ):
        form = next(f for f in pages.forms(pages.get(client, path)) if f.in_main)
        assert "password" in form.names, path
        assert pages.submit(client, path).status_code == 422
