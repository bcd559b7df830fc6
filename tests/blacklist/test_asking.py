"""Moderators ask one of the two for something, by a day."""

from datetime import UTC, datetime, timedelta

import pytest

from tests import pages
from tests.blacklist.cases import A_DAY, do, lift, listed, mails
from tests.blacklist.desks import claim_of, fresh, newest, read, url_of
from tests.factories import DUE, count, make_account
from tradeboard.accounts.rules.standing import Role
from tradeboard.audit import queries as audit
from tradeboard.blacklist.models import EvidenceRequest
from tradeboard.blacklist.rules import desk as rules
from tradeboard.blacklist.services import asking, claims, statements
from tradeboard.core import clock
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

NOW = DUE + A_DAY
ASKED = "発送の控えはありますか。"
# The end of the seventh day in Japan.
IN_A_WEEK = datetime(2026, 6, 23, 15, tzinfo=UTC)


@pytest.fixture(autouse=True)
def a_day_on(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)


def ask(entry, person, by, *, words=ASKED, **given):
    return do(asking.ask, entry.id, person.id, words, by=by, now=NOW, **given)


def test_a_day_ends_in_japan():
    day = rules.default_day(NOW)

    assert rules.end_of(day) == IN_A_WEEK
    assert not rules.is_possible_day(day - timedelta(days=7), NOW)
    assert rules.is_possible_day(day - timedelta(days=6), NOW)
    assert rules.is_possible_day(day + timedelta(days=23), NOW)
    assert not rules.is_possible_day(day + timedelta(days=24), NOW)


@pytest.mark.parametrize("whom", ["person", "partner"])
def test_either_of_the_two_is_asked_by_mail(alice, bob, moderator, log_in, whom):
    entry = listed(alice, bob)
    person, other = (bob, alice) if whom == "person" else (alice, bob)
    before = mails(other)

    request = ask(entry, person, moderator)

    assert (request.to_id, request.due_at) == (person.id, IN_A_WEEK)
    assert mails(person)[-1] == "asked"
    assert mails(other) == before
    subject, body = mailer.render(newest(OutboxMail))
    assert entry.number in subject
    assert ASKED in body
    assert body.count("http") == 1
    page = read(log_in(moderator), url_of(entry))
    assert ASKED in page
    assert "答え待ち" in page
    row = audit.rows_about(f"entry:{entry.id}")[-1]
    assert (row.action, row.actor_id) == ("ask about entry", moderator.id)
    assert ASKED not in str(row.body)


def test_the_desk_says_whether_an_answer_came(
    alice, bob, moderator, log_in, monkeypatch
):
    entry, client = listed(alice, bob), log_in(moderator)
    ask(entry, bob, moderator)
    monkeypatch.setattr(clock, "now", lambda: IN_A_WEEK)
    assert "期限までに答えなし" in read(client, url_of(entry))

    do(statements.state, entry.id, "あります。", by=bob, now=IN_A_WEEK)
    assert "答えあり" in read(client, url_of(entry))


def test_what_is_not_asked(alice, bob, charlie, moderator):
    judge = make_account("judge", role=Role.MODERATOR)
    entry, own = listed(alice, bob), listed(charlie, judge)
    today = rules.default_day(NOW) - timedelta(days=7)

    for words, to, given in (
        (" ", bob, {}),
        ("あ" * 1001, bob, {}),
        (ASKED, charlie, {}),
        (ASKED, bob, {"due_on": today}),
        (ASKED, bob, {"due_on": today + timedelta(days=31)}),
    ):
        with pytest.raises(RuleBroken):
            ask(entry, to, moderator, words=words, **given)
    for by, what in ((alice, entry), (judge, own)):
        with pytest.raises(NotAllowed):
            ask(what, bob, by)
    for _ in range(rules.MOST_OPEN_REQUESTS):
        ask(entry, bob, moderator)
    with pytest.raises(RuleBroken):
        ask(entry, bob, moderator)
    lift(entry, moderator, now=NOW)
    with pytest.raises(Conflict):
        ask(entry, alice, moderator)


def test_a_question_is_sent_once_from_the_page(alice, bob, moderator, log_in):
    entry, client = listed(alice, bob), log_in(moderator)
    url = f"{url_of(entry)}/ask"
    do(claims.take, entry.id, by=moderator, now=NOW - timedelta(minutes=5))
    page = pages.get(client, url)
    assert 'value="2026-06-23"' in page
    assert "checked" not in page

    for wrong in ({"to": None}, {"words": ""}, {"due_on": "いつか"}, {"to": "999"}):
        given = {"to": f"{bob.id}", "words": ASKED} | wrong
        refused = pages.send(client, url, page, url, **given)
        assert refused.status_code == 422, wrong
        if "words" not in wrong:
            assert ASKED in refused.get_data(as_text=True)
    for _ in range(2):
        answer = pages.send(
            client, url, page, url, to=f"{bob.id}", words=ASKED, due_on="2026/06/20"
        )
        assert answer.status_code == 303

    assert count(EvidenceRequest) == 1
    due_at = datetime(2026, 6, 20, 15, tzinfo=UTC)
    assert fresh(newest(EvidenceRequest)).due_at == due_at
    assert claim_of(entry).seen_at == NOW
