"""Log in through the page, for the guarantees of ways in."""

import time

from tests import pages, sizes
from tests.factories import PASSWORD, look_anew
from tests.page_forms import find_form
from tests.soaks import guarantees
from tradeboard.accounts import passwords
from tradeboard.accounts.models import Account
from tradeboard.core.db import db

WRONG = "wrong wrong wrong"


def log_in(app, login, password=PASSWORD, *, client=None, address=None, page=None):
    """Send the log-in form, in that browser and from that address."""
    client = client or app.test_client()
    page = page or pages.get(client, "/login")
    data = find_form(page, "/login").values() | {"email": login, "password": password}
    environ = {"REMOTE_ADDR": address} if address else {}
    return client.post("/login", data=data, environ_overrides=environ)


def device_of(app, login):
    """Return a browser that this person has used, signed out again."""
    client = signed_in(app, login)
    pages.submit(client, "/me", "/logout")
    return client


def signed_in(app, login, password=PASSWORD):
    """Return a browser in which somebody has logged in through the page."""
    client = app.test_client()
    answer = log_in(app, login, password, client=client)
    assert answer.status_code == 303, answer.status_code
    return client


def copy_of(client):
    """Return another browser with the same cookies."""
    copy = client.application.test_client()
    name = client.application.config["SESSION_COOKIE_NAME"]
    copy.set_cookie(name, client.get_cookie(name).value)
    return copy


def is_in(client) -> bool:
    """Tell whether this browser is signed in."""
    return client.get("/me").status_code == 200


def account_of(who: int) -> Account:
    """Return a person as the database has it now."""
    look_anew()
    return db.session.get_one(Account, who)


def hashed() -> str:
    """Return the hash of everybody's password."""
    return passwords.hash_password(PASSWORD)


def report(guarantee, quick, began, tried, found, **more) -> dict:
    """Print the line of one guarantee; `found` says what was wrong."""
    return guarantees.report(
        guarantee=guarantee,
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=tried,
        violations=len(found),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        **more,
        found=found,
    )
