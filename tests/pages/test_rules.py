"""The worked example of the two-week clock."""

from datetime import UTC, datetime, timedelta

from tradeboard.pages import rules

BEGUN = datetime(2026, 12, 1, 5, tzinfo=UTC)


def test_the_example_tells_each_instant_in_its_order_and_place():
    told = [
        (mark.step, (mark.at - BEGUN).days, mark.days_left, mark.x)
        for mark in rules.example()
    ]

    assert told == [
        ("begins", 0, 14, 22.0),
        ("told", 7, 7, 170.0),
        ("latest", 10, 4, 233.4),
        ("told", 11, 3, 254.6),
        ("told", 13, 1, 296.9),
        ("due", 14, 0, 318.0),
    ]


def test_the_last_second_in_time_comes_before_the_first_that_is_late():
    due = BEGUN + timedelta(days=14)

    assert rules.edges() == (due - timedelta(seconds=1), due)
