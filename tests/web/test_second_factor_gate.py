from tests import pages
from tests.factories import make_session
from tradeboard.accounts.models import Session
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction


def by_password_alone(app, account):
    client = app.test_client()
    token = make_session(account)
    with transaction():
        db.session.query(Session).one().second_factor_at = None
    with client.session_transaction() as session:
        session["_user_id"] = token
    return client


def test_staff_opens_nothing_by_password_alone(app, moderator):
    client = by_password_alone(app, moderator)

    for url in ("/", "/blacklist", "/desk", "/todo", "/help/rules"):
        answer = client.get(url)
        assert answer.status_code == 303
        assert answer.location.startswith("/login/second")


def test_staff_can_still_leave_and_reach_the_second_factor(app, moderator):
    client = by_password_alone(app, moderator)

    assert client.get("/login/second/setup").status_code == 200
    assert client.get("/healthz").status_code == 200
    assert pages.submit(client, "/login/second/setup", "/logout").status_code == 303
    assert client.get("/").status_code == 200
