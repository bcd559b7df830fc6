"""Which backups stay, and when one is due or late."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tradeboard.keeping import rules

NIGHT = datetime(2026, 11, 30, 18, tzinfo=UTC)
A_DAY, AN_HOUR = timedelta(days=1), timedelta(hours=1)


def days_ago(moments):
    return sorted((NIGHT - moment).days for moment in moments)


@pytest.mark.parametrize(
    ("made", "stay"),
    [
        ([], []),
        ([0], [0]),
        ([0, 100, 200, 400], [0, 100, 200, 400]),
        (range(8), [0, 1, 2, 3, 4, 5, 6]),
        # The 30th is a Monday: the last of a week is its Sunday, of a month its last.
        (range(40), [0, 1, 2, 3, 4, 5, 6, 8, 15, 30]),
        (
            range(0, 800),
            [0, 1, 2, 3, 4, 5, 6, 8, 15, 30, 61, 91, 122, 153]
            + [183, 214, 244, 275, 303, 334],
        ),
    ],
)
def test_seven_days_four_weeks_and_twelve_months_stay(made, stay):
    moments = [NIGHT - ago * A_DAY for ago in made]

    assert days_ago(rules.kept(moments)) == stay


def test_of_one_day_the_last_backup_stays():
    moments = [NIGHT - n * AN_HOUR for n in range(10)]

    assert rules.kept(moments) == {NIGHT}


def test_removing_each_day_keeps_the_same_as_removing_once():
    kept = set()
    for ago in range(500, -1, -1):
        kept = rules.kept(kept | {NIGHT - ago * A_DAY})

    assert days_ago(kept)[:10] == [0, 1, 2, 3, 4, 5, 6, 8, 15, 30]
    assert len(kept) == 20


@pytest.mark.parametrize(
    ("last", "now", "due"),
    [
        (None, NIGHT, True),
        (NIGHT, NIGHT, False),
        (NIGHT - AN_HOUR, NIGHT, True),
        (NIGHT - AN_HOUR, NIGHT - timedelta(seconds=1), False),
        (NIGHT + AN_HOUR, NIGHT + A_DAY - AN_HOUR, False),
        (NIGHT + AN_HOUR, NIGHT + A_DAY, True),
    ],
)
def test_a_backup_is_due_once_a_night(last, now, due):
    assert rules.is_due(last, now) == due


def test_admins_must_know_after_two_days():
    assert rules.is_late(None, NIGHT)
    assert not rules.is_late(NIGHT - 2 * A_DAY, NIGHT)
    assert rules.is_late(NIGHT - 2 * A_DAY - timedelta(seconds=1), NIGHT)


def test_a_backup_is_called_by_its_moment():
    assert rules.moment_of(rules.name_of(NIGHT)) == NIGHT
    assert rules.moment_of(".part-" + rules.name_of(NIGHT)) is None


def test_a_night_begins_at_three_in_japan_to_the_second():
    odd = NIGHT + timedelta(hours=1, minutes=2, seconds=3, microseconds=4)

    assert rules.name_of(NIGHT) == "tradeboard-20261130T180000Z"
    assert rules.last_night(odd) == NIGHT
    assert rules.last_night(NIGHT) == NIGHT
    assert rules.last_night(NIGHT - timedelta(microseconds=1)) == NIGHT - A_DAY
    assert rules.last_night(NIGHT + 6 * AN_HOUR) == NIGHT
    there = odd.astimezone(timezone(timedelta(hours=9)))
    assert rules.last_night(there) == NIGHT
    assert rules.name_of(there) == rules.name_of(odd)
    found = rules.moment_of("tradeboard-20261130T180000Z")
    assert (found, found.utcoffset()) == (NIGHT, timedelta(0))


def test_weeks_of_different_years_are_different_weeks():
    moments = [NIGHT - ago * A_DAY for ago in range(0, 3000, 364)]

    assert rules.kept(moments) == set(moments)
