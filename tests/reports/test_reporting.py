"""Members report a listing, a message, a person; nobody else learns of it."""

import pytest

from tests import pages
from tests.factories import count
from tests.reports import cases
from tests.soaks import browsing
from tests.worlds import make_listing, make_trade
from tradeboard.core import clock, drafts
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.reports import queries
from tradeboard.reports.models import Report
from tradeboard.reports.rules import Reason, Subject


def test_a_member_reports_a_listing_and_is_thanked(alice, bob, log_in):
    client, page = log_in(bob), f"/report/listing/{make_listing(alice).id}"

    answer = pages.submit(client, page, page, button="do=send", reason="spam")

    assert answer.location == "/report/thanks"
    assert "受け取りました" in pages.get(client, answer.location)
    assert "もう知らせていただいています" in pages.get(client, page)
    assert count(Report, Report.reason == Reason.SPAM) == 1


def test_what_is_written_is_kept_until_it_is_sent(alice, bob, log_in):
    client, page = log_in(bob), "/report/person/alice"

    pages.submit(client, page, page, button="do=draft", reason="x" * 9000)
    assert drafts.find(bob.id, "report-person", alice.id)["reason"] is None
    pages.submit(client, page, page, button="do=draft", words="書きかけ")
    kept = pages.get(client, page)
    refused = pages.submit(client, page, page, button="do=send", words="書きかけ")
    sent = pages.submit(client, page, page, button="do=send", reason="other")

    assert "書きかけ" in kept
    assert refused.status_code == 422
    assert "書きかけ" in refused.text
    assert sent.status_code == 303
    assert drafts.find(bob.id, "report-person", alice.id) is None
    made = cases.report(1)
    assert (made.words, made.subject) == ("書きかけ", Subject.PERSON)


def test_a_message_is_reported_by_the_two_alone(alice, bob, charlie, log_in):
    message_id = cases.write(make_trade(alice, bob), alice, "外で会いましょう")

    page = f"/report/message/{message_id}"

    assert "外で会いましょう" in pages.get(log_in(bob), page)
    assert log_in(charlie).get(page).status_code == 404
    assert "自分のものは知らせられません" in pages.get(log_in(alice), page)


def test_the_same_thing_is_reported_once_until_it_is_answered(alice, bob):
    cases.report_person(alice, bob)

    with pytest.raises(RuleBroken):
        cases.report_person(alice, bob)
    with pytest.raises(RuleBroken):
        cases.report_person(bob, bob)
    for who in ("nobody", str(alice.id)):  # counting on leads to no names
        with pytest.raises(NotFound):
            queries.target_of_person(who)


def test_outsiders_see_no_trace_of_a_report(app, alice, bob, charlie, log_in):
    listing_id = make_listing(alice).id
    visited = (f"/listings/{listing_id}", "/u/alice", "/?q=", "/blacklist?handle=alice")
    viewers = [app.test_client(), log_in(charlie), log_in(alice)]

    def seen():
        return [
            [pages.text(viewer.get(path).text) for path in visited]
            for viewer in viewers
        ]

    with browsing.at(clock.now()):
        before = seen()
        cases.report_person(alice, bob)

        assert seen() == before


def test_reports_are_throttled(alice, bob, log_in, monkeypatch):
    monkeypatch.setattr("tradeboard.reports.views.REPORTS", "1 per day")
    client = log_in(bob)
    told = {"button": "do=send", "reason": "other", "words": "二度めの言葉"}
    listing = f"/report/listing/{make_listing(alice).id}"

    first = pages.submit(client, "/report/person/alice", **told)
    second = pages.submit(client, listing, **told)

    assert (first.status_code, second.status_code) == (303, 429)
    assert "二度めの言葉" in second.text
