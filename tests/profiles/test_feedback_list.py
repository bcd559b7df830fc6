import re
from datetime import timedelta

import pytest

from tests import pages
from tests.factories import in_transaction, make_account
from tests.feedback.worlds import DAY, ended, say
from tradeboard.core import clock
from tradeboard.feedback import services
from tradeboard.profiles import views


@pytest.fixture
def judged(app, alice, bob):
    """Let five people say of alice how it was, a month apart."""
    now = clock.now() - 200 * DAY
    for number in range(5):
        other = make_account(f"dora{number}")
        at = now + number * DAY
        trade_id = ended(alice, other, at=at)
        said = say(trade_id, other, "good", f"ひとこと{number}", at=at)
        say(trade_id, alice, at=at + timedelta(hours=1))
    return said


def test_what_is_shown_is_listed_newest_first_page_by_page(
    app, judged, alice, log_in, moderator, monkeypatch
):
    monkeypatch.setattr(views, "FEEDBACK_SHOWN", 3)
    visitor = app.test_client()

    first = pages.get(visitor, "/u/alice")
    link = re.search(r'href="([^"]*after=[^"]*)"', first)[1]
    second = pages.get(visitor, link)

    assert [n for n in range(5) if f"ひとこと{n}" in first] == [2, 3, 4]
    assert first.index("ひとこと4") < first.index("ひとこと3")
    assert [n for n in range(5) if f"ひとこと{n}" in second] == [0, 1]
    assert f"/desk/feedback/{judged.id}" not in first
    assert f"/desk/feedback/{judged.id}" in pages.get(log_in(moderator), "/u/alice")
    with in_transaction():
        services.hide_words(judged.id, "insult", by=moderator, now=clock.now())
    assert "ひとこと4" not in pages.get(visitor, "/u/alice")
