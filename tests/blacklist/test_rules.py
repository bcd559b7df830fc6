"""The rules of entries, without a database."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta

import pytest

from tradeboard.accounts.rules.standing import Standing, strongest
from tradeboard.blacklist.rules import (
    appeals,
    arrivals,
    clauses,
    desk,
    entries,
    numbers,
    wording,
)
from tradeboard.blacklist.rules.appeals import Right
from tradeboard.blacklist.rules.desk import Span
from tradeboard.blacklist.rules.entries import EntryState, LiftReason, UpholdReason
from tradeboard.blacklist.rules.numbers import Bar, Kind, Tally, Typical
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


@pytest.mark.parametrize("state", list(EntryState))
@pytest.mark.parametrize("finding", list(Finding))
def test_what_an_entry_does_by_its_state_and_finding(state, finding):
    is_held, contested = state is EntryState.HELD, finding is Finding.CONTESTED
    public = state in (EntryState.LISTED, EntryState.UPHELD)
    waits = is_held and finding is not Finding.COUNTERPARTY_IN_DEFAULT
    held = Standing.HELD if waits else None
    week = DUE + 7 * A_DAY if is_held and contested else None

    assert entries.restriction(state, finding) is (Standing.LISTED if public else held)
    assert entries.restricts_until(state, finding, DUE) == week
    assert entries.review_by(state, finding, DUE) == (week or DUE + 14 * A_DAY)
    assert entries.undecided_at(state, DUE) == (DUE + 90 * A_DAY if is_held else None)


def test_an_entry_that_nobody_looked_at_turns_red_after_two_weeks():
    for state in (EntryState.LISTED, EntryState.UPHELD):
        for finding in (Finding.CONTESTED, Finding.WITHHELD):
            assert entries.review_by(state, finding, DUE) == DUE + 14 * A_DAY
    held = entries.review_by(EntryState.HELD, Finding.WITHHELD, DUE)
    assert held == DUE + 14 * A_DAY
    contested = entries.review_by(EntryState.HELD, Finding.CONTESTED, DUE)
    assert contested == DUE + 7 * A_DAY


def test_entries_stay_longer_from_the_second_standing_one():
    years = [entries.expires_at(DUE, n) - DUE for n in (0, 1, 2, 3)]

    assert years == [730 * A_DAY, 730 * A_DAY, 1825 * A_DAY, 1825 * A_DAY]


def test_an_appeal_is_decided_within_two_weeks_and_repeated_after_half_a_year():
    again = DUE + 180 * A_DAY

    assert appeals.due_at(DUE) == DUE + 14 * A_DAY
    assert not appeals.is_overdue(DUE, DUE - A_MOMENT)
    assert appeals.is_overdue(DUE, DUE)
    assert appeals.may_appeal_again_at(DUE) == again
    assert appeals.may_appeal_again(None, DUE, brings_new=False)
    assert appeals.may_appeal_again(DUE, DUE, brings_new=True)
    assert not appeals.may_appeal_again(DUE, again - A_MOMENT, brings_new=False)
    assert appeals.may_appeal_again(DUE, again, brings_new=False)


def test_an_appeal_brings_something_new_by_words_or_files():
    said = ["トドケマシタ", "二つ"]

    assert not appeals.brings_new(" とどけました ", 0, said)
    assert appeals.brings_new("とどけました", 1, said)
    assert appeals.brings_new("三つ", 0, said)
    assert appeals.brings_new("とどけました", 0, [])


@pytest.mark.parametrize(
    ("who", "right"),
    [
        ({}, Right.MAY),
        ({"is_staff": False, "is_party": True}, Right.NO_STAFF),
        ({"is_party": True, "is_near": True}, Right.PARTY),
        ({"is_near": True, "upheld": True}, Right.NEAR),
        ({"upheld": True}, Right.UPHELD),
        ({"upheld": True, "others": 0}, Right.SOLE),
        ({"others": 0}, Right.MAY),
    ],
)
def test_who_decides_an_appeal(who, right):
    whole = {"is_staff": True, "is_party": False, "upheld": False, "others": 1}

    assert appeals.right_to_decide(**whole | who) is right


def test_a_claim_lapses_after_a_quarter_of_an_hour():
    quarter = timedelta(minutes=15)

    assert desk.live_since(DUE) == DUE - quarter
    assert not desk.is_live(DUE - quarter, DUE)
    assert desk.is_live(DUE - quarter + A_MOMENT, DUE)


def test_an_answer_is_asked_for_from_tomorrow_to_thirty_days_on_in_japan():
    night = datetime(2026, 12, 14, 15, tzinfo=UTC)  # The 15th in Japan.
    today = date(2026, 12, 15)

    assert desk.default_day(night) == date(2026, 12, 22)
    assert desk.default_day(night - A_MOMENT) == date(2026, 12, 21)
    possible = [desk.is_possible_day(today + n * A_DAY, night) for n in (0, 1, 30, 31)]
    assert possible == [False, True, True, False]
    assert desk.end_of(today) == datetime(2026, 12, 15, 15, tzinfo=UTC)


def test_two_spans_overlap_from_the_later_first_to_the_earlier_last():
    one, other = Span(DUE, DUE + 2 * A_DAY, 1), Span(DUE + A_DAY, DUE + 5 * A_DAY, 1)
    touching = Span(DUE + 2 * A_DAY, DUE + 9 * A_DAY, 1)
    later = Span(DUE + 3 * A_DAY, DUE + 9 * A_DAY, 1)

    assert desk.overlap(one, other) == (DUE + A_DAY, DUE + 2 * A_DAY)
    assert desk.overlap(touching, one) == (DUE + 2 * A_DAY, DUE + 2 * A_DAY)
    assert desk.overlap(one, later) is None


def test_a_refused_arrival_names_its_field():
    for day, at, field in (
        (date(2026, 12, 19), time(0), "arrived_at"),
        (date(2026, 12, 15), None, "arrived_time"),
        (date(2025, 12, 13), time(0), "arrived_at"),
    ):
        with pytest.raises(RuleBroken) as refused:
            arrivals.arrival(day, at, due_at=DUE, now=NOW)
        assert refused.value.field == field
    oldest = arrivals.arrival(date(2025, 12, 14), time(0), due_at=DUE, now=NOW)
    assert oldest == datetime(2025, 12, 13, 15, tzinfo=UTC)
    for read, field in (
        (arrivals.read_day, "arrived_at"),
        (arrivals.read_time, "arrived_time"),
    ):
        with pytest.raises(RuleBroken) as refused:
            read("x")
        assert refused.value.field == field


def test_an_arrival_is_never_later_than_now_unless_somebody_says_so():
    today = NOW.astimezone(arrivals.JAPAN).date()
    later = time(23, 30)

    assert arrivals.arrival(today, None, due_at=DUE, now=NOW) == NOW
    said = arrivals.arrival(today, later, due_at=DUE, now=NOW)
    assert said == datetime.combine(today, later, arrivals.JAPAN) > NOW
    assert said.utcoffset() == timedelta(0)
    midnight = datetime(2026, 12, 14, 15, tzinfo=UTC)
    assert arrivals.needs_time(date(2026, 12, 15), midnight)
    assert not arrivals.needs_time(date(2026, 12, 15), midnight - A_MOMENT)
    assert arrivals.read_time("14:30:59") == time(14, 30, 59)
    assert arrivals.read_time("") is None


def test_english_articles_apply_as_well_and_others_do_not():
    text = "before\n## 1 Two Weeks \n a \n\nb\n## 2 Other\nc\n## Automatic listing\n"

    found = clauses.applying(text)

    assert found == [
        clauses.Clause("1 Two Weeks", ["a", "b"]),
        clauses.Clause("Automatic listing", []),
    ]


def test_reasons_have_words_and_an_unknown_code_stands_for_itself():
    assert wording.reason_in_words("record") is wording.UPHOLD[UpholdReason.RECORD]
    assert wording.reason_in_words("error") is wording.LIFT[LiftReason.ERROR]
    found = wording.reason_in_words("contested")
    assert found is wording.FINDINGS[Finding.CONTESTED]
    assert str(wording.reason_in_words("xyz")) == "xyz"


def test_a_tally_counts_by_month_and_in_all():
    counts = Counter({("listed", 0): 4, ("listed", 1): 1, ("listed", 2): 2})
    counts |= Counter({("appealed", 0): 5, ("granted", 1): 1, ("refused", 2): 1})
    counts |= Counter({("closed", 0): 1})
    told = Tally([DUE, DUE], counts)

    assert told.by_month(Kind.LISTED) == [1, 2]
    assert told.in_all(Kind.LISTED) == 7
    assert told.open_appeals == 2
    assert not told.is_empty
    assert Tally([DUE]).is_empty
    assert Tally([DUE]).open_appeals == 0


@pytest.mark.parametrize(
    ("median", "days", "hours"),
    [
        (None, None, None),
        (timedelta(0), None, 0),
        (timedelta(minutes=119), None, 1),
        (2 * A_DAY - A_MOMENT, None, 47),
        (2 * A_DAY, "2.0", None),
        (timedelta(hours=61), "2.5", None),
    ],
)
def test_a_median_is_told_in_hours_and_from_two_days_on_in_days(median, days, hours):
    typical = Typical(9, median)

    assert (typical.days, typical.hours) == (days, hours)


def test_few_cases_say_little():
    assert [Typical(n, None).is_few for n in (9, 10)] == [True, False]
    assert [numbers.is_few(c) for c in ([], [9], [1, 10])] == [True, True, False]
    assert numbers.typical([]) == Typical(0, None)
    assert numbers.typical([A_DAY, 2 * A_DAY, 9 * A_DAY]) == Typical(3, 2 * A_DAY)


def test_the_last_twelve_months_begin_in_japan():
    night = datetime(2026, 12, 31, 15, tzinfo=UTC)  # The new year in Japan.

    starts = numbers.month_starts(night)

    assert [(s.year, s.month) for s in starts] == [
        *((2026, month) for month in range(2, 13)),
        (2027, 1),
    ]
    assert starts[-1] == night
    before = numbers.month_starts(night - A_MOMENT)
    assert (before[0].month, before[-1].month) == (1, 12)


def test_bars_stand_in_their_drawing():
    assert numbers.columns([0, 10, 5]) == [
        Bar(0, 3.0, 138.0, 114.0, 0.0, 60.0, 134.0),
        Bar(10, 123.0, 20.0, 114.0, 118.0, 180.0, 16.0),
        Bar(5, 243.0, 79.0, 114.0, 59.0, 300.0, 75.0),
    ]
    assert numbers.columns([1])[0].height == 23.6  # One of five is no mountain.
    assert numbers.columns([]) == []
    assert numbers.rows([1, 10]) == [
        Bar(1, 0, 20, 31.2, 14, 37.2, 31),
        Bar(10, 0, 64, 312.0, 14, 318.0, 75),
    ]
    assert numbers.rows([1])[0].width == 62.4
    assert numbers.rows([]) == []


def test_bars_are_drawn_to_a_tenth():
    seventh = numbers.columns([1] + [0] * 5 + [7])

    assert seventh[0] == Bar(1, 3.0, 121.1, 45.4, 16.9, 25.7, 117.1)
    assert (seventh[6].x, seventh[6].count_x) == (311.6, 334.3)
    assert numbers.rows([1, 7])[0].width == 44.6


def test_days_of_arrival_are_days_in_japan():
    night = datetime(2026, 12, 18, 16, tzinfo=UTC)  # The 19th in Japan.
    today = date(2026, 12, 19)

    arrived = arrivals.arrival(today, time(0), due_at=DUE, now=night)

    assert arrived == datetime(2026, 12, 18, 15, tzinfo=UTC)
    late_due = datetime(2026, 12, 15, 16, tzinfo=UTC)  # The 16th in Japan.
    with pytest.raises(RuleBroken):
        arrivals.arrival(date(2025, 12, 14), time(0), due_at=late_due, now=night)
