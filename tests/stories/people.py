"""People as they begin: they register, confirm their address, agree, post."""

import re

from sqlalchemy import select

from tests import pages
from tradeboard.accounts import queries as accounts
from tradeboard.core.db import db
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

PASSWORD = "harbour lantern seventeen"


def letters_to(address):
    """Return the mails to an address as (subject, body), oldest first."""
    db.session.rollback()
    found = select(OutboxMail).where(OutboxMail.to == address).order_by(OutboxMail.id)
    return [mailer.render(mail) for mail in db.session.scalars(found)]


def link_in(body):
    """Return the path of the one link in a mail."""
    (link,) = re.findall(r"https?://[^/\s]+(/\S+)", body)
    return link


def newcomer(app, handle, email):
    """Register over HTTP, confirm the address from the outbox; return the client."""
    client = app.test_client()
    answer = pages.submit(
        client, "/register", "/register", handle=handle, email=email, password=PASSWORD
    )
    assert answer.status_code in (200, 303), pages.text(answer.text)
    path = link_in(letters_to(email)[-1][1])
    assert pages.submit(client, path, path).status_code in (200, 303)
    sign_in(client, email)
    return client


def sign_in(client, email):
    """Sign in with the common password, if registering did not already."""
    if client.get("/me").status_code != 200:
        fields = {"email": email, "password": PASSWORD}
        assert pages.submit(client, "/login", "/login", **fields).status_code == 303
    assert client.get("/me").status_code == 200


def post_listing(client):
    """Write a listing, agree to the terms on the way, and post it; return its path."""
    answer = pages.submit(
        client,
        "/listings/new",
        "/listings/new",
        button="do=review",
        **{
            "have-0-name": "蒼天の竜王",
            "have-0-quantity": "1",
            "want-0-name": "星詠みの魔導師",
            "want-0-quantity": "1",
            "ships_from": "40",
            "note": "スリーブに入れて保管しています。",
        },
    )
    assert answer.status_code == 303, pages.text(answer.text)
    review = answer.location
    asked = pages.submit(client, review, button="募集を出す")
    assert "同意" in asked.text
    return agree(client, asked).location


def agree(client, asked):
    """Tick the box of the agreement page that came in between, and go on."""
    assert asked.status_code == 200
    (form,) = [f for f in pages.forms(asked.text) if "agree_asked" in f.names]
    fields = form.values() | {"agree_terms": str(1)}
    answer = client.post(form.action, data=fields)
    assert answer.status_code == 303, pages.text(answer.text)
    return answer


def account(handle):
    """Return a person as the database has it now."""
    db.session.rollback()
    return accounts.find_by_handle(handle)
