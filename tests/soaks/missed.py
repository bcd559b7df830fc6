"""G1: no overdue trade is missed, however long nobody looked."""

import random
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import select

from tests import sizes
from tests.factories import MONDAY
from tests.soaks import fields, guarantees
from tests.soaks.fields import Plot
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.core.db import db
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

OFF = (3, 30, 365)
SPAN = 60 * 86_400
TWO_WEEKS, A_WEEK = 14 * 86_400, 7 * 86_400
# Of twelve trades eight are open at most; the others must be left alone.
SENT = ((True, False), (False, True), (True, True), (True, True))
RECEIVED = ((False, False), (True, False), (False, True))
ENDED = (TradeState.RECEIVED, TradeState.CANCELLED)


@dataclass
class Book:
    """When each trade is due, and whose parcel is missing, in plain numbers."""

    due: dict[int, int] = field(default_factory=dict)
    owing: dict[int, set[int]] = field(default_factory=dict)
    spared: set[int] = field(default_factory=set)

    def expected(self, now: datetime) -> set[int]:
        """Return the trades that are due at a moment."""
        return {trade for trade, due in self.due.items() if due <= _number(now)}


def run(*, quick: bool) -> dict:
    """Let the scheduler be off three times; compare what it finds each time."""
    began, seed = time.monotonic(), guarantees.seed()
    number = sizes.size("G1", quick=quick)
    book = make(number, MONDAY, random.Random(seed))
    expected: set[int] = set()
    missed = extra = 0
    for days in OFF:
        now = MONDAY + timedelta(days=days)
        sweep_overdue_trades(now)
        expected = book.expected(now)
        found = _defaulted()
        missed += len(expected - found)
        extra += len(found - expected)
    pairs = {(trade, person) for trade in expected for person in book.owing[trade]}
    entered = _entered()
    missed += len(pairs - entered)
    extra += len(entered - pairs)
    return guarantees.report(
        guarantee="G1",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=number,
        violations=missed + extra,
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        expected=len(expected),
        missed=missed,
        extra=extra,
    )


def make(number: int, at: datetime, dice: random.Random) -> Book:
    """Make trades that are due within sixty days around a moment."""
    plots = [_plot(at, dice) for _ in range(number)]
    book = Book()
    for plot, planted in zip(plots, fields.plant(plots), strict=True):
        if plot.state is not TradeState.SHIPPED:
            book.spared.add(planted.trade)
            continue
        weeks = TWO_WEEKS + plot.extensions * A_WEEK
        book.due[planted.trade] = _number(plot.first) + weeks * 1_000_000
        book.owing[planted.trade] = {
            person
            for person, received in zip(planted.people, plot.received, strict=True)
            if not received
        }
    return book


def _plot(at: datetime, dice: random.Random) -> Plot:
    extensions = dice.choice((0, 0, 1, 2))
    due = at + timedelta(
        seconds=dice.randint(-SPAN, SPAN), microseconds=dice.randrange(10**6)
    )
    first = due - timedelta(seconds=TWO_WEEKS + extensions * A_WEEK)
    sent = dice.choice(SENT)
    received = dice.choice([r for r in RECEIVED if all(map(_may, sent, r))])
    state = TradeState.SHIPPED
    if dice.random() < 0.1:
        state, sent = dice.choice(ENDED), (True, True)
        received = (True, True) if state is TradeState.RECEIVED else (False, False)
    elif dice.random() < 0.05:
        state, sent, received = TradeState.PHONE_CONFIRMED, (False, False), RECEIVED[0]
    return Plot(first, sent, received, dice.random() < 0.7, extensions, state)


def _may(sent: bool, received: bool) -> bool:
    return sent or not received


def _number(moment: datetime) -> int:
    """Return a moment as microseconds, without the help of the product."""
    whole = int(moment.replace(microsecond=0).timestamp())
    return whole * 1_000_000 + moment.microsecond


def _defaulted() -> set[int]:
    db.session.rollback()
    found = select(Trade.id).where(Trade.state == TradeState.DEFAULTED)
    return set(db.session.scalars(found))


def _entered() -> set[tuple[int, int]]:
    pairs = db.session.execute(select(Entry.trade_id, Entry.account_id)).all()
    found = {(pair[0], pair[1]) for pair in pairs}
    # Twice the same would hide in a set.
    return found if len(found) == len(pairs) else found | {(0, 0)}
