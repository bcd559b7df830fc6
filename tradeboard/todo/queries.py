"""Read what awaits a member, from the states of running trades alone."""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.todo.rules import Task, in_order
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.rules import next_step


def count(account_id: int, now: datetime) -> int:
    """Return how many things a member can do now; asked on every page."""
    return len(tasks_in(trades.running_of(account_id), account_id, now))


def running(account_id: int) -> Sequence[Trade]:
    """Return a member's running trades with all that the page names."""
    return trades.running_of(account_id, whole=True)


def tasks(account_id: int, now: datetime) -> list[Task]:
    """Return what a member can do now, nearest deadline first."""
    return tasks_in(trades.running_of(account_id), account_id, now)


def waiting(account_id: int, now: datetime) -> list[Task]:
    """Return what a member waits for, one line a trade."""
    return waiting_in(trades.running_of(account_id), account_id, now)


def tasks_in(found: Sequence[Trade], account_id: int, now: datetime) -> list[Task]:
    """Return what these trades ask of a member."""
    return in_order(
        Task(trade.id, step)
        for trade in found
        for step in next_step.own_steps(trades.facts_of(trade, account_id, now))
    )


def waiting_in(found: Sequence[Trade], account_id: int, now: datetime) -> list[Task]:
    """Return what is awaited in those of the trades that ask nothing of a member."""
    steps = ((trade, trades.step_of(trade, account_id, now)) for trade in found)
    return in_order(
        Task(trade.id, step)
        for trade, step in steps
        if step.who is not next_step.Who.YOU
    )
