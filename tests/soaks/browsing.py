"""Browsers in which somebody is signed in, for the soaks as the tests have them."""

from contextlib import contextmanager
from datetime import datetime
from unittest.mock import patch

from tests.conftest import Client
from tests.factories import make_session
from tradeboard.accounts.models import Account
from tradeboard.core import clock
from tradeboard.core.db import db


def sign_in(app, account_id: int):
    """Return a browser in which this person is signed in."""
    app.test_client_class = Client
    db.session.rollback()
    client = app.test_client()
    token = make_session(db.session.get_one(Account, account_id))
    with client.session_transaction() as session:
        session["_user_id"] = token
    return client


@contextmanager
def at(moment: datetime):
    """Let it be a moment, for the pages and for all else that reads the clock."""
    with patch.object(clock, "now", lambda: moment):
        yield
