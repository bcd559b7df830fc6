from datetime import timedelta

from tests.factories import A_MOMENT, MONDAY
from tradeboard.moderation import rules
from tradeboard.moderation.rules import Queue


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
