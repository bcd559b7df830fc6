from datetime import timedelta

from tests.factories import A_MOMENT, MONDAY
from tradeboard.notifications import rules


def test_the_ladder_takes_a_day():
    assert sum(rules.LADDER, timedelta()) == timedelta(hours=24)
    assert rules.LADDER[0] == timedelta(minutes=1)
    assert max(rules.LADDER) == timedelta(hours=6)


def test_each_failure_waits_at_least_as_long_as_the_one_before():
    assert list(rules.LADDER) == sorted(rules.LADDER)


def test_a_mail_is_given_up_after_the_last_step():
    last = len(rules.LADDER)

    assert rules.next_try(1, MONDAY) == MONDAY + timedelta(minutes=1)
    assert rules.next_try(last, MONDAY) == MONDAY + timedelta(hours=6)
    assert rules.next_try(last + 1, MONDAY) is None


def test_mail_is_late_after_an_hour():
    assert not rules.is_late(MONDAY, MONDAY + rules.RED_AFTER)
    assert rules.is_late(MONDAY, MONDAY + rules.RED_AFTER + A_MOMENT)
    assert not rules.is_late(None, MONDAY)
