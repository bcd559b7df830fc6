from datetime import UTC, date, datetime, timedelta

import pytest

from tests.factories import A_MOMENT, MONDAY
from tradeboard.moderation import rules
from tradeboard.moderation.rules import Answer, Number, Queue, Span, charts, spam
from tradeboard.moderation.rules.charts import Bar, Chart
from tradeboard.moderation.rules.spam import Kind, Picture, Signal

HOUR = timedelta(hours=1)


def test_a_queue_is_overdue_when_its_oldest_has_waited_too_long():
    queue = Queue("unreviewed", 1, MONDAY)
    last = MONDAY + rules.PATIENCE["unreviewed"]

    assert not queue.is_overdue(last)
    assert queue.is_overdue(last + A_MOMENT)
    assert not Queue("unreviewed", 0, None).is_overdue(last)


def test_overdue_queues_come_first_then_old_ones_then_empty_ones():
    now = MONDAY + timedelta(days=3)
    empty = Queue("held", 0, None)
    young = Queue("unreviewed", 1, now)
    old = Queue("differs", 1, MONDAY)
    overdue = Queue("calls", 1, MONDAY + timedelta(hours=1))

    found = rules.in_order([empty, young, old, overdue], now)

    assert found == [overdue, old, young, empty]


def test_a_count_stops_at_a_hundred():
    assert not Queue("held", 100, MONDAY).is_capped
    assert Queue("held", 101, MONDAY).is_capped


def test_a_hold_is_urgent_in_its_last_day():
    until = MONDAY + timedelta(hours=24)

    assert not rules.is_urgent(until, MONDAY)
    assert rules.is_urgent(until, MONDAY + A_MOMENT)
    assert not rules.is_urgent(None, MONDAY)


def test_two_overlap_from_the_later_first_to_the_earlier_last_use():
    ours = Span(MONDAY, MONDAY + 4 * HOUR, 2)
    theirs = Span(MONDAY + HOUR, MONDAY + 9 * HOUR, 2)
    later = Span(MONDAY + 5 * HOUR, MONDAY + 6 * HOUR, 2)

    assert rules.overlap(ours, theirs) == (MONDAY + HOUR, MONDAY + 4 * HOUR)
    assert rules.overlap(ours, later) is None
    assert rules.overlap(ours, None) is None


ONE = Number("a", "p1", "090-****-**45")
OTHER = Number("b", "p1", "090-****-**45")
ERASED = Number(None, None, "090-****-**45")
ELSEWHERE = Number("c", "p2", "090-****-**67")
NEW_KEY = Number("d", "p2", "090-****-**45")


@pytest.mark.parametrize(
    ("one", "other", "same", "differ"),
    [
        (ONE, ONE, True, False),
        (ONE, OTHER, False, True),
        (ONE, ERASED, False, False),
        (ERASED, ERASED, False, False),
        (ONE, ELSEWHERE, False, True),
        (ONE, NEW_KEY, False, False),
    ],
)
def test_numbers_are_told_apart_only_when_it_is_sure(one, other, same, differ):
    assert (one.equals(other), other.equals(one)) == (same, same)
    assert (one.differs(other), other.differs(one)) == (differ, differ)


def test_only_surely_different_numbers_are_counted():
    assert rules.count_different([ONE, ONE, ERASED, NEW_KEY]) == 1
    assert rules.count_different([ONE, OTHER, ELSEWHERE]) == 3


@pytest.mark.parametrize(
    ("ours", "theirs", "answer"),
    [
        ([ONE], [OTHER, ELSEWHERE], Answer.YES),
        ([ONE, OTHER], [ELSEWHERE, ONE], Answer.NO),
        ([ONE], [ERASED], Answer.UNKNOWN),
        ([], [ONE], Answer.UNKNOWN),
    ],
)
def test_two_have_numbers_of_their_own_when_none_is_the_same(ours, theirs, answer):
    assert rules.have_own_numbers(ours, theirs) is answer


def test_two_wrote_at_once_only_from_different_devices():
    ours = [(MONDAY + 2 * HOUR, 1), (MONDAY + HOUR, 1), (MONDAY, 1)]
    near = timedelta(minutes=5)
    theirs = [
        (MONDAY + 2 * HOUR + near, 2),
        (MONDAY + HOUR + near + A_MOMENT, 2),
        (MONDAY + HOUR - near - A_MOMENT, 2),
        (MONDAY, 1),
    ]

    assert rules.together(ours, theirs) == [MONDAY + 2 * HOUR]
    assert rules.together([], theirs) == rules.together(ours, []) == []


def test_moderators_are_told_from_eight_in_the_morning_of_what_needs_a_decision():
    eight = datetime(2026, 6, 1, 23, tzinfo=UTC)
    held, calls = Queue("held", 1, MONDAY), Queue("calls", 2, MONDAY + HOUR)
    others = [Queue(n, 1, MONDAY) for n in ("notes", "dead_mail", "waiting_mail")]
    queues = [calls, *others, held, Queue("appeals", 0, None)]

    assert rules.to_tell(queues, eight) == [held, calls]
    assert rules.to_tell(queues, eight - A_MOMENT) == []
    assert rules.day_in_japan(eight) == date(2026, 6, 2)
    assert rules.day_in_japan(eight - 9 * HOUR) == date(2026, 6, 1)


def test_spans_that_touch_overlap_in_one_instant():
    one, other = Span(MONDAY, MONDAY + HOUR, 1), Span(MONDAY + HOUR, MONDAY + HOUR, 1)

    assert rules.overlap(one, other) == (MONDAY + HOUR, MONDAY + HOUR)
    assert rules.overlap(None, one) is None


def test_writing_together_looks_past_the_same_device():
    near = timedelta(minutes=5)
    ours = [(MONDAY + HOUR, 1), (MONDAY, 1)]
    theirs = [(MONDAY + HOUR + near, 1), (MONDAY + HOUR - near, 2), (MONDAY - near, 3)]

    assert rules.together(ours, theirs) == [MONDAY + HOUR, MONDAY]
    late = [(MONDAY - near - A_MOMENT, 3)]
    assert rules.together(ours, late) == []
    assert rules.together(ours, [(MONDAY + HOUR + near + A_MOMENT, 3)]) == []


def test_a_signal_is_named_with_its_number():
    assert Signal(Kind.TEXT, "ab", 3, MONDAY).key == "text:ab:3"


def picture(name, owner, digest):
    return Picture(name, owner, 1, digest, MONDAY)


def test_photos_alike_are_those_that_differ_in_four_bits_at_most():
    base = 0x0123_4567_89AB_CDEF
    spread = base ^ (1 | 1 << 13 | 1 << 26 | 1 << 39)
    far = base ^ (1 | 1 << 13 | 1 << 26 | 1 << 39 | 1 << 52)
    high = base ^ (1 << 63)

    def names(*pictures):
        return [[p.id for p in group] for group in spam.alike(pictures)]

    assert spam.distance(base, far) == 5
    assert names(picture("a", 1, base), picture("b", 2, spread)) == [["b", "a"]]
    assert names(picture("a", 1, base), picture("b", 2, high)) == [["b", "a"]]
    edges = base ^ (1 << 13 | 1 << 26 | 1 << 39 | 1 << 52)
    assert names(picture("a", 1, base), picture("b", 2, edges)) == [["b", "a"]]
    assert names(picture("a", 1, base), picture("b", 2, far)) == []
    assert names(picture("a", 1, base), picture("b", 1, base)) == []
    chained = names(
        picture("a", 1, base),
        picture("b", 2, spread),
        picture("c", 2, spread ^ (1 << 5 | 1 << 17 | 1 << 30)),
        picture("d", 3, ~base & (2**64 - 1)),
    )
    assert [sorted(group) for group in chained] == [["a", "b", "c"]]
    two = names(
        picture("a", 1, base),
        picture("b", 2, far),
        picture("c", 3, base),
        picture("d", 4, far),
    )
    assert sorted(map(sorted, two)) == [["a", "c"], ["b", "d"]]


def test_groups_that_meet_become_one():
    base = 0
    near, between = 0b11111111, 0b1111
    found = spam.alike(
        [
            picture("a", 1, base),
            picture("b", 2, base),
            picture("c", 3, near),
            picture("d", 4, near),
            picture("e", 5, between),
        ]
    )

    assert [sorted(p.id for p in group) for group in found] == [list("abcde")]


def test_weeks_begin_on_mondays_in_japan():
    sunday = datetime(2026, 5, 31, 14, 59, tzinfo=UTC)
    monday = datetime(2026, 5, 31, 15, tzinfo=UTC)

    assert charts.week_of(sunday) == date(2026, 5, 25)
    assert charts.week_of(monday) == date(2026, 6, 1)
    starts = [date(2026, 5, 18), date(2026, 5, 25), date(2026, 6, 1)]
    assert charts.weeks(monday, 3) == starts
    assert charts.since(monday, 3) == monday - timedelta(weeks=3)
    assert charts.by_week([sunday, monday, monday], starts) == [0, 1, 2]
    assert charts.by_week([monday + timedelta(weeks=1)], starts) == [0, 0, 0]


def test_a_chart_is_weekly_by_its_labels():
    assert Chart("c", "u", [date(2026, 6, 1)], []).is_weekly
    assert not Chart("c", "u", ["a"], []).is_weekly
    assert not Chart("c", "u", [], []).is_weekly


def test_shares_medians_and_ages_are_counted():
    day = timedelta(days=1)

    assert charts.shares([1, 0, 2], [3, 0, 3]) == [33, None, 67]
    with pytest.raises(ValueError, match="shorter"):
        charts.shares([1, 2], [1])
    assert charts.middle([]) is None
    assert charts.middle([day, day * 1.25, day * 9]) == 1.2
    made = [MONDAY - n * day for n in (0, 3, 3.1, 7, 14, 15, 99)]
    assert charts.by_age(made, MONDAY) == [2, 2, 1, 2]


def test_bars_of_the_desk_stand_in_their_drawing():
    assert charts.columns([None, 10, 5]) == [
        Bar(None, 1.5, 100.0, 117.0, 0.0),
        Bar(10, 121.5, 20.0, 117.0, 80.0),
        Bar(5, 241.5, 60.0, 117.0, 40.0),
    ]
    assert charts.columns([1])[0].height == 16.0
    assert charts.columns([]) == []
    narrow = charts.columns([0] * 52)
    assert (narrow[1].x, narrow[1].width) == (7.8, 5.2)
    assert charts.rows([None, 1, 4]) == [
        Bar(None, 0, 20, 0.0, 12),
        Bar(1, 0, 60, 75.0, 12),
        Bar(4, 0, 100, 300.0, 12),
    ]
    assert charts.rows([0])[0].width == 0
    assert charts.rows([1])[0].width == 300.0
    assert charts.rows([]) == []


def test_bars_of_the_desk_are_drawn_to_a_tenth():
    seventh = charts.columns([1] + [0] * 5 + [7])

    assert seventh[0] == Bar(1, 1.5, 88.6, 48.4, 11.4)
    assert seventh[6].x == 310.1
    assert charts.columns([None, 0.5])[0].height == 0.0
    assert charts.rows([1, 7])[0].width == 42.9
    assert charts.rows([None, 0.5])[1].width == 150.0


def test_numbers_of_one_key_differ_by_their_hashes_only_if_both_are_kept():
    erased = Number(None, "p1", "090-****-**45")

    assert not ONE.differs(erased)
    assert not erased.differs(ONE)


def test_writing_together_skips_one_use_at_a_time():
    near = timedelta(minutes=5)
    theirs = [(MONDAY + HOUR, 2), (MONDAY + near, 2), (MONDAY - HOUR, 2)]

    assert rules.together([(MONDAY, 1)], theirs) == [MONDAY]
