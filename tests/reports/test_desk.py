"""The desk answers reports: claims, decisions, mails; nobody decides about himself."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import pages
from tests.factories import MONDAY, count, make_account
from tests.reports import cases
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.reports import queries, services
from tradeboard.reports.models import MemberWarning
from tradeboard.reports.rules import Outcome, Reason, ReportState, Which

MINUTE = timedelta(minutes=1)


@pytest.fixture
def other(app):
    return make_account("other", role=Role.MODERATOR)


def settle(report_id, outcome, by, *, days=None, now=MONDAY):
    with transaction():
        services.settle(report_id, outcome, "理由の文", days=days, by=by, now=now)


def mails(template):
    db.session.rollback()
    found = select(OutboxMail).where(OutboxMail.template == template)
    return [(m.account_id, mailer.render(m)[1]) for m in db.session.scalars(found)]


def test_a_listing_is_hidden_and_both_are_told_why(alice, bob, moderator):
    report_id = cases.report_listing(alice, bob)

    settle(report_id, Outcome.HIDDEN, moderator)

    assert cases.report(report_id).state is ReportState.SETTLED
    assert db.session.scalars(select(Listing.state)).all() == [ListingState.HIDDEN]
    [(to, body)] = mails("reports/mail/settled.txt")
    assert to == bob.id
    assert "理由の文" in body
    [(owner, why)] = mails("listings/mail/hidden.txt")
    assert owner == alice.id
    assert "bob" not in why
    assert count(AuditRow, AuditRow.action == "report.settled") == 1


def test_a_warning_reaches_the_member_who_marks_it_as_read(
    alice, bob, moderator, log_in
):
    settle(cases.report_person(alice, bob), Outcome.WARNED, moderator)
    [(to, body)] = mails("reports/mail/warned.txt")
    assert (to, queries.unseen_warnings(alice.id)) == (alice.id, 1)
    assert "/me/warnings" in body
    with pytest.raises(Exception, match="見つかりません"), transaction():
        services.see_warning(1, by=bob, now=MONDAY)

    answer = pages.submit(log_in(alice), "/me/warnings", button="読んだことにする")

    assert answer.status_code == 303
    db.session.rollback()
    assert queries.unseen_warnings(alice.id) == 0


def test_a_suspension_has_an_end(alice, bob, moderator):
    report_id = cases.report_person(alice, bob)

    with pytest.raises(RuleBroken):
        settle(report_id, Outcome.SUSPENDED, moderator)
    settle(report_id, Outcome.SUSPENDED, moderator, days=7)

    db.session.rollback()
    assert db.session.get(Account, alice.id).standing is Standing.SUSPENDED
    [restriction] = queries.history(alice.id).restrictions
    assert restriction.until == MONDAY + timedelta(days=7)
    assert restriction.cause == "suspension:harassment"


def test_nobody_decides_about_himself_or_by_himself(alice, moderator, other):
    about = cases.report_person(moderator, alice)
    by = cases.report_person(alice, moderator)

    for report_id in (about, by):
        with pytest.raises(NotAllowed):
            settle(report_id, Outcome.NOTHING, moderator)
        settle(report_id, Outcome.NOTHING, other)
    with pytest.raises(NotAllowed):
        settle(cases.report_person(other, moderator), Outcome.NOTHING, alice)


def test_what_cannot_be_hidden_is_not(alice, bob, moderator):
    with pytest.raises(RuleBroken):
        settle(cases.report_person(alice, bob), Outcome.HIDDEN, moderator)


def test_the_slower_of_two_moderators_learns_who_decided_what(
    alice, bob, moderator, other, log_in
):
    page = f"/desk/reports/{cases.report_person(alice, bob)}"
    slow = log_in(moderator)
    opened = pages.get(slow, page)
    settle(1, Outcome.NOTHING, other)

    typed = {"outcome": "warned", "sentence": "警告です", "step": "settle"}
    answer = pages.send(slow, page, opened, f"{page}/settle", **typed)

    assert answer.status_code == 409
    assert "otherさんが先に決めました：何もしない。理由の文" in pages.text(answer.text)
    assert count(MemberWarning) == 0
    assert len(mails("reports/mail/settled.txt")) == 1


def test_a_claim_dies_when_idle_for_15_minutes(alice, bob, moderator, other):
    report_id = cases.report_person(alice, bob)

    def take(by, after):
        with transaction():
            services.take(report_id, by=by, now=MONDAY + after)

    take(moderator, 0 * MINUTE)
    with pytest.raises(Conflict):
        take(other, 15 * MINUTE - timedelta(microseconds=1))
    take(other, 15 * MINUTE)
    with transaction():
        services.leave(report_id, by=moderator)

    now = MONDAY + 16 * MINUTE
    mine = queries.queue(Which.MINE, None, by_id=other.id, now=now)
    assert [report.id for report in mine] == [report_id]


def test_the_page_shows_the_thing_the_person_and_the_mails_before_they_leave(
    alice, bob, moderator, log_in
):
    trade = make_trade(alice, bob)
    for n in range(7):
        cases.write(trade, bob, f"前{n}")
    reported = cases.write(trade, alice, "これです")
    cases.write(trade, bob, "あと")
    page = f"/desk/reports/{cases.report_message(reported, bob)}"
    with transaction():
        services.remark(alice.id, "前にも話した", by=moderator, now=MONDAY)
        services.warn(alice.id, Reason.SPAM, "一度目", by=moderator, now=MONDAY)
    client = log_in(moderator)

    shown = pages.text(pages.get(client, page))
    for words in ("これです", "あと", "前2", "前にも話した", "一度目"):
        assert words in shown
    assert "前1" not in shown

    typed = {"outcome": "warned", "sentence": "二度目です"}
    settle_at = f"{page}/settle"
    review = pages.submit(client, page, settle_at, button="step=review", **typed)
    assert review.status_code == 200
    assert "bobさんに届くメール" in pages.text(review.text)
    assert count(MemberWarning) == 1

    for _ in range(2):
        done = pages.send(client, page, review.text, settle_at, button="step=settle")
        assert done.status_code == 303
    assert count(MemberWarning) == 2


def test_the_queue_costs_the_same_however_long_it_is(
    alice, bob, moderator, log_in, statements
):
    client = log_in(moderator)
    cases.report_listing(alice, bob)
    with statements() as few:
        assert client.get("/desk/reports").status_code == 200
    for _ in range(26):
        cases.report_listing(alice, bob)
    with statements() as many:
        page = client.get("/desk/reports")

    assert len(few) == len(many)
    assert 'rel="next"' in page.text
    assert log_in(alice).get("/desk/reports").status_code == 404


def test_moderators_find_people_by_name_address_and_device(
    alice, bob, moderator, log_in
):
    client = log_in(moderator)

    def find(typed):
        return pages.submit(client, "/desk/people", "/desk/people", typed=typed)

    assert find("ＡＬＩＣＥ").location == f"/desk/people/{alice.id}"
    assert find("bob@example.com").location == f"/desk/people/{bob.id}"
    assert "当てはまる会員はいません" in find("D-7F3K-9QXM").text
    assert client.get("/desk/people/alice").location == f"/desk/people/{alice.id}"


def test_moderators_warn_and_write_remarks_on_a_persons_page(alice, moderator, log_in):
    client, page = log_in(moderator), f"/desk/people/{alice.id}"
    typed = {"reason": "spam", "sentence": "同じ投稿です"}

    empty = pages.submit(client, page, f"{page}/warn", sentence="文")
    warned = pages.submit(client, page, f"{page}/warn", **typed)
    noted = pages.submit(client, page, f"{page}/remarks", words="電話で話した")
    shown = pages.text(pages.get(client, page))

    assert (empty.status_code, warned.status_code, noted.status_code) == (422, 303, 303)
    assert "同じ投稿です" in shown
    assert "電話で話した" in shown
    assert "電話で話した" not in pages.text(pages.get(log_in(alice), "/me"))


def test_nobody_on_the_desk_reads_who_reported_him(alice, moderator, other, log_in):
    report_id = cases.report_person(moderator, alice)
    with transaction():
        services.remark(moderator.id, "覚え書き", by=other, now=MONDAY)
    hers, page = log_in(moderator), f"/desk/reports/{report_id}"

    assert hers.get(page).status_code == 404
    for path in ("/desk/reports", f"/desk/people/{moderator.id}"):
        shown = pages.get(hers, path)
        assert "alice" not in shown
        assert page not in shown
        assert "覚え書き" not in shown
    assert "alice" in pages.get(log_in(other), page)
    assert page in pages.get(log_in(other), "/desk/reports")
