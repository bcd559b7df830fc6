from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.factories import A_MOMENT, MONDAY
from tradeboard.trades.rules import clock

JAPAN, NEW_YORK = ZoneInfo("Asia/Tokyo"), ZoneInfo("America/New_York")
THIS_CENTURY = {"min_value": datetime(2000, 1, 1), "max_value": datetime(2099, 1, 1)}

EXAMPLES = {
    "an ordinary trade": (
        datetime(2026, 12, 1, 14, tzinfo=JAPAN),
        datetime(2026, 12, 15, 14, tzinfo=JAPAN),
    ),
    "over the end of a year": (
        datetime(2026, 12, 31, 23, 59, 59, tzinfo=JAPAN),
        datetime(2027, 1, 14, 23, 59, 59, tzinfo=JAPAN),
    ),
    "with a leap day inside": (
        datetime(2028, 2, 16, tzinfo=JAPAN),
        datetime(2028, 3, 1, tzinfo=JAPAN),
    ),
    "across the change of clocks": (
        datetime(2026, 10, 25, 12, tzinfo=NEW_YORK),
        datetime(2026, 11, 8, 11, tzinfo=NEW_YORK),
    ),
}


@pytest.mark.parametrize(("sent", "due"), EXAMPLES.values(), ids=EXAMPLES)
def test_the_examples_of_the_rules_hold(sent, due):
    assert clock.due_at(sent) == due.astimezone(UTC)
    assert not clock.is_over(clock.due_at(sent), due - A_MOMENT)
    assert clock.is_over(clock.due_at(sent), due)


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.datetimes(**THIS_CENTURY, timezones=st.timezones()),
    st.integers(0, clock.MOST_EXTENSIONS),
)
def test_the_clock_runs_336_hours_wherever_and_whenever_it_starts(sent, extensions):
    due = clock.due_at(sent, extensions)

    hours = 336 + extensions * 168
    assert due - sent.astimezone(UTC) == timedelta(hours=hours)
    assert not clock.is_over(due, due - A_MOMENT)
    assert clock.is_over(due, due)


def test_without_a_dispatch_no_clock_runs():
    assert not clock.is_over(None, MONDAY)


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (timedelta(days=7, microseconds=1), None),
        (timedelta(days=7), 7),
        (timedelta(days=3, microseconds=1), 7),
        (timedelta(days=3), 3),
        (timedelta(days=1), 1),
        (timedelta(microseconds=1), 1),
        (timedelta(0), None),
    ],
)
def test_notices_are_due_seven_three_and_one_day_before(before, told):
    notice = clock.notice_due(MONDAY, MONDAY - before)

    assert (notice and notice.days) == told


def test_a_slip_can_be_undone_for_an_hour():
    an_hour_later = MONDAY + timedelta(hours=1)

    assert clock.may_undo(MONDAY, an_hour_later - A_MOMENT)
    assert not clock.may_undo(MONDAY, an_hour_later)


def test_the_second_parcel_has_ten_days_at_the_latest():
    due = clock.due_at(MONDAY)

    assert clock.latest_sensible_dispatch(due) == MONDAY + timedelta(days=10)
