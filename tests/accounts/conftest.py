"""People register here by hand, through pages."""

import re

import pytest
from sqlalchemy import select

from tests import pages
from tests.factories import PASSWORD
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications.models import OutboxMail
from tradeboard.terms import services as terms


@pytest.fixture
def app(app):
    """Put the terms in force, unless the database came with them."""
    with transaction():
        terms.publish_packaged(clock.now())
    return app


@pytest.fixture
def browser(app):
    """Return a browser that nobody has used yet."""
    return app.test_client()


@pytest.fixture
def register(app):
    """Return how somebody registers in a new browser."""

    def register(handle="dora", email="dora@example.com", client=None, **fields):
        client = client or app.test_client()
        fields = {"handle": handle, "email": email, "password": PASSWORD} | fields
        return client, pages.submit(client, "/register", "/register", **fields)

    return register


@pytest.fixture
def mails(app):
    """Return what waits in the outbox, newest last: (template, to, facts)."""

    def mails(template=None):
        db.session.rollback()
        rows = db.session.scalars(select(OutboxMail).order_by(OutboxMail.id)).all()
        found = [(row.template.split("/")[-1], row.to, row.facts) for row in rows]
        return [one for one in found if template in (None, one[0])]

    return mails


@pytest.fixture
def sign_in(app):
    """Return how to log in through the page."""

    def sign_in(login, password=PASSWORD, client=None, **fields):
        client = client or app.test_client()
        fields = {"email": login, "password": password} | fields
        return client, pages.submit(client, "/login", "/login", **fields)

    return sign_in


def words_of(response):
    """Return the words of an answer."""
    return pages.text(response.get_data(as_text=True))


def device_cookie(response):
    """Return the device cookie that an answer sets, with its flags, or None."""
    found = [
        header
        for header in response.headers.getlist("Set-Cookie")
        if re.match(r"(__Host-)?device=", header)
    ]
    return found[0] if found else None
