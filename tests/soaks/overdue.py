"""Many trades that fell due, and what a right sweep makes of them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.factories import make_account
from tests.worlds import A_DAY, leg_from, make_trade
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries
from tradeboard.trades.rules.states import Condition
from tradeboard.trades.services import shipping

AT_ONCE = 25


@dataclass
class World:
    """The right answers, written down while the trades are made."""

    overdue: set[int] = field(default_factory=set)
    spared: set[int] = field(default_factory=set)
    entries: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)


def make(number: int, now: datetime) -> World:
    """Make so many overdue trades, and a fifth as many that must be left alone."""
    world = World()
    total = number + number // 5
    for begin in range(0, total, AT_ONCE):
        with transaction():
            for n in range(begin, min(begin + AT_ONCE, total)):
                _make_one(world, n, is_overdue=n < number, now=now)
    return world


def _make_one(world: World, n: int, *, is_overdue: bool, now: datetime) -> None:
    at = now - 14 * A_DAY - timedelta(minutes=n + 1)
    poster, proposer = (
        make_account(f"{name}{n}", agreed=False, created_at=at - 60 * A_DAY)
        for name in ("po", "pr")
    )
    if not is_overdue:
        _spare(world, n, poster, proposer, at, now)
        return
    kind = n % 3
    both = [poster, proposer]
    trade = make_trade(poster, proposer, sent_by=[poster] if kind == 0 else both, at=at)
    world.overdue.add(trade.id)
    if kind == 0:
        owed = {
            poster: ("counterparty_in_default", "held"),
            proposer: ("never_dispatched", "listed"),
        }
    elif kind == 1:
        owed = dict.fromkeys(both, ("counterparty_in_default", "held"))
    else:
        _receive(trade, proposer, poster, at)
        owed = {poster: ("not_received_untracked", "listed")}
    for person, answer in owed.items():
        world.entries[trade.id, person.id] = answer


def _spare(world, n, poster, proposer, at, now) -> None:
    """Make a trade that ended well, or one that is not due yet."""
    ended = n % 2 == 0
    at = at if ended else now - 13 * A_DAY
    trade = make_trade(poster, proposer, sent_by=[poster, proposer], at=at)
    if ended:
        _receive(trade, proposer, poster, at)
        _receive(trade, poster, proposer, at)
    world.spared.add(trade.id)


def _receive(trade, sender, recipient, at) -> None:
    received_at = at + 3 * A_DAY
    shipping.confirm_receipt(
        leg_from(queries.get_trade(trade.id), sender).id,
        arrived_on=received_at.date(),
        condition=Condition.AS_AGREED,
        words="",
        by=recipient,
        now=received_at,
    )
