"""The rules of entries, without a database."""

from datetime import UTC, date, datetime, time, timedelta

import pytest

from tradeboard.accounts.rules.standing import Standing, strongest
from tradeboard.blacklist.rules import arrivals, clauses, entries, wording
from tradeboard.blacklist.rules.entries import EntryState, LiftReason, UpholdReason
from tradeboard.core.errors import RuleBroken
from tradeboard.trades.rules.findings import Finding

DUE = datetime(2026, 12, 15, 5, tzinfo=UTC)
A_MOMENT = timedelta(microseconds=1)
A_DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("finding", "state"),
    [
        (Finding.NEVER_DISPATCHED, EntryState.LISTED),
        (Finding.NOT_RECEIVED_TRACKED, EntryState.LISTED),
        (Finding.NOT_RECEIVED_UNTRACKED, EntryState.LISTED),
        (Finding.WITHHELD, EntryState.HELD),
        (Finding.CONTESTED, EntryState.HELD),
        (Finding.COUNTERPARTY_IN_DEFAULT, EntryState.HELD),
    ],
)
def test_how_an_entry_begins(finding, state):
    assert entries.first_state(finding) is state


def test_the_silence_of_the_other_side_bars_nobody():
    held = EntryState.HELD

    assert entries.restriction(held, Finding.COUNTERPARTY_IN_DEFAULT) is None
    assert entries.restriction(held, Finding.CONTESTED) is Standing.HELD
    assert entries.restriction(EntryState.LIFTED, Finding.CONTESTED) is None


def test_the_strongest_cause_is_the_standing():
    assert strongest([Standing.HELD, Standing.LISTED]) is Standing.LISTED
    assert strongest([]) is Standing.GOOD


def test_only_a_withheld_entry_is_listed_by_time():
    for finding in Finding:
        expected = DUE + 7 * A_DAY if finding is Finding.WITHHELD else None
        assert entries.list_at(finding, DUE) == expected


def test_entries_stay_two_years_or_five():
    assert entries.expires_at(DUE, 1) == DUE + 730 * A_DAY
    assert entries.expires_at(DUE, 2) == DUE + 1825 * A_DAY


def test_the_due_instant_itself_is_late():
    in_time, late = LiftReason.RECEIVED_IN_TIME, LiftReason.CURED_LATE

    assert entries.lift_reason(DUE - A_MOMENT, DUE) is in_time
    assert entries.lift_reason(DUE, DUE) is late
    assert entries.lifts_by_itself(in_time, 5)
    assert entries.lifts_by_itself(late, 0)
    assert not entries.lifts_by_itself(late, 1)


def test_every_code_has_words_and_none_blames():
    for finding in Finding:
        for words in (wording.sentence(finding), wording.FINDINGS[finding]):
            assert "詐欺" not in str(words)
    assert set(wording.UPHOLD) == set(UpholdReason)
    assert set(wording.LIFT) == set(LiftReason)
    assert wording.sentence(Finding.WITHHELD) == wording.sentence(
        Finding.NEVER_DISPATCHED
    )
    assert wording.sentence(Finding.CONTESTED) == wording.sentence(
        Finding.COUNTERPARTY_IN_DEFAULT
    )
    assert wording.entry_number(204) == "E-204"


NOW = DUE + 3 * A_DAY


@pytest.mark.parametrize(
    ("day", "at", "arrived"),
    [
        (date(2026, 12, 15), time(13, 59), datetime(2026, 12, 15, 4, 59, tzinfo=UTC)),
        (date(2026, 12, 15), time(14), DUE),
        (
            date(2026, 12, 14),
            None,
            datetime(2026, 12, 14, 14, 59, 59, 999999, tzinfo=UTC),
        ),
        (date(2026, 12, 18), None, NOW),
    ],
)
def test_a_day_and_a_time_in_japan_are_an_instant(day, at, arrived):
    assert arrivals.arrival(day, at, due_at=DUE, now=NOW) == arrived


def test_the_due_day_needs_a_time_and_tomorrow_is_refused():
    with pytest.raises(RuleBroken) as refused:
        arrivals.arrival(date(2026, 12, 15), None, due_at=DUE, now=NOW)
    assert refused.value.field == "arrived_time"

    with pytest.raises(RuleBroken) as refused:
        arrivals.arrival(date(2026, 12, 19), None, due_at=DUE, now=NOW)
    assert refused.value.field == "arrived_at"


def test_a_day_long_before_the_trade_is_no_day_of_arrival():
    with pytest.raises(RuleBroken):
        arrivals.arrival(date(1, 1, 1), time(0, 30), due_at=DUE, now=NOW)


@pytest.mark.parametrize("typed", ["2026-12-01", "２０２６－１２－０１", "2026/12/01"])
def test_days_are_read_as_they_are_typed(typed):
    assert arrivals.read_day(typed) == date(2026, 12, 1)


@pytest.mark.parametrize("typed", ["", "昨日", "2026-13-01", "12/1"])
def test_other_days_are_refused(typed):
    with pytest.raises(RuleBroken):
        arrivals.read_day(typed)


def test_times_are_read_too():
    assert arrivals.read_time(" ") is None
    assert arrivals.read_time("９:05") == time(9, 5)
    with pytest.raises(RuleBroken):
        arrivals.read_time("25:00")


def test_the_articles_about_the_due_instant_and_listing_apply():
    text = "# T\n\n## 第5条　発送\n\n1. a\n\n## 第6条　2週間の期限\n\n1. b\n2. c\n"

    (clause,) = clauses.applying(text)

    assert (clause.heading, clause.paragraphs) == (
        "第6条　2週間の期限",
        ["1. b", "2. c"],
    )
