"""The rules of reports, without a database."""

from datetime import timedelta

from tests.factories import A_MOMENT, MONDAY
from tradeboard.reports import rules
from tradeboard.reports.rules import Outcome, Subject


def test_only_a_listing_can_be_hidden():
    for subject in Subject:
        left_out = [] if subject is Subject.LISTING else [Outcome.HIDDEN]
        expected = [outcome for outcome in Outcome if outcome not in left_out]
        assert rules.possible(subject) == expected


def test_a_claim_lapses_when_nobody_moved_for_fifteen_minutes():
    quarter = timedelta(minutes=15)

    assert not rules.is_live(None, MONDAY)
    assert rules.is_live(MONDAY, MONDAY)
    assert rules.is_live(MONDAY - quarter + A_MOMENT, MONDAY)
    assert not rules.is_live(MONDAY - quarter, MONDAY)
