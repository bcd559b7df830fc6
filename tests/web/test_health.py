"""What tells from outside that jobs run and mail leaves."""

from datetime import timedelta

import pytest

from tests import pages
from tests.factories import MONDAY, in_transaction
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.notifications import services as notifications
from tradeboard.web.health import SWEEP

HOUR = timedelta(hours=1)


@pytest.fixture
def at(monkeypatch):
    """Return how to let it be another time, just after the sweep went well."""

    def at(now):
        monkeypatch.setattr(clock, "now", lambda: now)
        with in_transaction():
            db.session.merge(JobRun(name=SWEEP, ok_at=now))

    return at


def test_a_mail_that_waits_longer_than_an_hour_makes_it_red(
    app, alice, moderator, log_in, at
):
    """Scenario 20."""
    with in_transaction():
        notifications.queue_mail(alice, "no/such.txt", key="k", now=MONDAY)
    visitor, desk = app.test_client(), log_in(moderator)

    at(MONDAY + HOUR)
    quiet = visitor.get("/healthz/scheduler")
    at(MONDAY + HOUR + timedelta(seconds=1))
    late = visitor.get("/healthz/scheduler")

    assert (quiet.status_code, quiet.json["status"]) == (200, "ok")
    assert (late.status_code, late.json["status"]) == (503, "red")
    assert late.json["mail_s"] == 3601
    queue = pages.get(desk, "/desk").partition("送信待ちのメール")[2]
    assert "遅れています" in queue.partition("</li>")[0]
    assert 'href="/confirm/resend"' in pages.get(visitor, "/login")
