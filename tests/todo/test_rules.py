"""What awaits a member, without a database."""

from datetime import timedelta

from tests.factories import A_MOMENT, MONDAY
from tradeboard.todo import rules
from tradeboard.todo.rules import Duty, Errand, Task
from tradeboard.trades.rules.next_step import Code, Step, Who

SOON = timedelta(days=3)


def task(number, deadline=None):
    return Task(number, Step(Code.SEAL, deadline, Who.YOU))


def test_deadlines_come_in_order_and_what_has_none_comes_last():
    late, early = task(1, MONDAY + SOON), task(2, MONDAY)
    older, newer = task(3), task(4)
    alike = [Errand(Duty.READ_WARNING, 4), Errand(Duty.AGREE_TERMS, 4)]
    found = [newer, alike[0], late, older, alike[1], early]

    ordered = rules.in_order(found)

    assert ordered == [early, late, older, alike[1], alike[0], newer]


def test_a_task_tells_of_its_step():
    assert task(7, MONDAY).code == "seal"
    assert task(7, MONDAY).number == 7
    assert task(7, MONDAY).deadline == MONDAY


def test_what_has_three_days_left_is_near():
    for one in (task(1, MONDAY), Errand(Duty.GIVE_FEEDBACK, 1, MONDAY)):
        assert not one.is_near(MONDAY - SOON - A_MOMENT)
        assert one.is_near(MONDAY - SOON)
        assert one.is_near(MONDAY)
    assert not task(1).is_near(MONDAY)
