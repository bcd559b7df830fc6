"""Who reports decides where it stands in the queue, never what happens."""

from datetime import timedelta

from tests import pages
from tests.factories import MONDAY, make_account
from tests.reports import cases
from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.paging import Cursor
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState
from tradeboard.reports import queries, services
from tradeboard.reports.rules import Outcome, Which

HOUR = timedelta(hours=1)
NOW = MONDAY + 9 * HOUR


def trader(name):
    """Return somebody who has ended a trade."""
    return make_account(name, ended_count=1)


def queue(by, after=None):
    db.session.rollback()
    found = queries.queue(Which.OPEN, after, by_id=by.id, now=NOW)
    return [report.id for report in found], queries.numbers(found)


def test_the_known_come_first_and_several_of_one_thing_are_one_row(
    alice, bob, moderator, log_in
):
    dora, emil, new = trader("dora"), trader("emil"), make_account("newby")
    light = cases.report_person(alice, new, now=MONDAY)
    first = cases.report_person(bob, new, now=MONDAY + HOUR)
    cases.report_person(bob, dora, now=MONDAY + 2 * HOUR)
    third = cases.report_person(new, emil, now=MONDAY + 3 * HOUR)

    assert queue(moderator) == ([first, third, light], {first: 2, third: 1, light: 1})
    page = pages.text(pages.get(log_in(moderator), "/desk/reports"))
    assert page.count("2件") == 1

    for number in range(3):
        other = make_account(f"other{number}")
        in_vain = cases.report_person(other, emil, now=MONDAY)
        with transaction():
            by = db.session.get_one(Account, moderator.id)
            services.settle(in_vain, Outcome.NOTHING, "違反なし", by=by, now=NOW)
    assert queue(moderator)[0] == [first, light, third]


def test_the_queue_goes_on_behind_each_row(alice, bob, moderator):
    dora, new = trader("dora"), make_account("newby")
    light = [cases.report_listing(alice, new, now=MONDAY + n * HOUR) for n in range(2)]
    heavy = [cases.report_listing(bob, dora, now=MONDAY + n * HOUR) for n in range(2)]

    order = [*heavy, *light]
    assert queue(moderator)[0] == order
    for place, report_id in enumerate(order):
        after = Cursor(cases.report(report_id).made_at, report_id)
        assert queue(moderator, after)[0] == order[place + 1 :]


def test_no_number_of_reports_hides_anything(alice):
    for number in range(12):
        report_id = cases.report_listing(alice, trader(f"dora{'abcdefghkmnp'[number]}"))
    listing_id = cases.report(report_id).listing_id

    assert db.session.get_one(Listing, listing_id).state is ListingState.OPEN
