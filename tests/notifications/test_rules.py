from datetime import UTC, datetime, timedelta

import pytest

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


def test_the_daily_mail_is_due_at_six_in_the_evening_in_japan():
    evening = datetime(2026, 6, 1, 9, tzinfo=UTC)

    assert rules.due_since(evening) == evening
    assert rules.due_since(evening - A_MOMENT) == evening - timedelta(days=1)
    night = datetime(2026, 6, 1, 15, tzinfo=UTC)  # The next day in Japan.
    assert rules.due_since(night) == evening


def test_only_optional_mail_and_the_daily_one_can_be_stopped():
    assert rules.kind_of("trades/mail/message.txt") is rules.Kind.MESSAGE
    assert rules.kind_of("accounts/mail/confirm.txt") is None
    assert rules.stopped_by(rules.DIGEST) == "daily"
    assert rules.stopped_by("cards/mail/matches.txt") is rules.Kind.MATCHES
    assert rules.stopped_by("accounts/mail/confirm.txt") is None


def test_a_notice_leads_where_its_mail_does_and_keeps_no_secret():
    facts = {"trade": 7, "token": "secret", "title": "竜"}

    assert rules.is_noticed("trades/mail/message.txt")
    assert not rules.is_noticed("accounts/mail/nothing.txt")
    assert "7" in rules.path_of("trades/mail/message.txt", facts)
    with pytest.raises(KeyError):
        rules.path_of("accounts/mail/nothing.txt", facts)
    assert rules.kept_facts(facts) == {"trade": 7, "title": "竜"}


def test_each_step_of_the_ladder_follows_its_failure():
    waits = [rules.next_try(n, MONDAY) - MONDAY for n in range(1, 10)]

    assert waits == list(rules.LADDER)
