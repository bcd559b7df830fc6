from datetime import timedelta

import pytest

from tests.factories import A_MOMENT, MONDAY
from tradeboard.moderation import rules
from tradeboard.moderation.rules import Answer, Number, Queue, Span

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
