from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.factories import MONDAY, in_transaction, make_account
from tests.worlds import make_trade
from tradeboard.core.db import db
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules import records
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import LegState, TradeState
from tradeboard.trades.services import records as counting

DAY = timedelta(days=1)
HALF_DAYS = st.integers(0, 400).map(lambda n: MONDAY + n * DAY / 2)
TRADES = st.lists(st.tuples(st.integers(1, 3), HALF_DAYS, st.booleans()), max_size=25)
SOON = st.integers(0, 30 * 24 * 60 - 1).map(lambda n: timedelta(minutes=n))


def shown(trades):
    """Return what a record shows of trades: how many in time, and the share of it."""
    came = [row for row in trades if row[2]]
    in_time, late = len(records.groups(came)), len(trades) - len(came)
    return in_time, Fraction(in_time, in_time + late or 1)


@settings(max_examples=200)
@given(TRADES, st.lists(st.tuples(SOON, st.booleans()), max_size=10), st.data())
def test_repeating_trades_of_one_pair_within_thirty_days_never_raises_what_is_shown(
    trades, repeats, data
):
    counted = records.groups((who, at, (who, at)) for who, at, came in trades if came)
    assume(counted)
    who, at = data.draw(st.sampled_from([group[0] for group in counted]))

    padded = [*trades, *((who, at + later, came) for later, came in repeats)]

    assert all(
        new <= old for new, old in zip(shown(padded), shown(trades), strict=True)
    )


@given(TRADES)
def test_one_pair_counts_at_most_once_in_any_thirty_days(trades):
    groups = records.groups((who, at, (who, at)) for who, at, _ in trades)

    firsts = [group[0] for group in groups]
    assert sum(map(len, groups)) == len(trades)
    for who in {1, 2, 3}:
        own = [at for partner, at in firsts if partner == who]
        assert all(b - a >= 30 * DAY for a, b in zip(own, own[1:], strict=False))


def test_a_share_needs_five_and_is_rounded_down():
    assert records.share(4, 4) is None
    assert records.share(5, 5) == 100
    assert records.share(299, 300) == 99
    assert records.share(0, 5) == 0


def test_days_are_the_median_in_begun_days():
    assert records.days_between([]) is None
    assert records.days_between([DAY / 2]) == 1
    assert records.days_between([2 * DAY, DAY, 9 * DAY]) == 2
    assert records.days_between([-DAY]) == 0


def end(trade_id, at, *, state=TradeState.RECEIVED, finding=None):
    """End a trade in which all came, or the poster's parcel did not."""
    with in_transaction():
        trade = db.session.get_one(Trade, trade_id)
        trade.state, trade.ended_at = state, at
        for leg in trade.legs:
            is_late = finding is not None and leg.sender_id == trade.poster_id
            leg.dispatched_at, leg.received_at = at - 4 * DAY, at
            leg.state = LegState.DISPATCHED if is_late else LegState.RECEIVED
            leg.finding = finding if is_late else None
        counting.count_all([trade])


@pytest.fixture
def traded(app, alice):
    """Return how alice trades with somebody, ended some days after Monday."""

    def trade(partner, day, **how):
        made = make_trade(alice, partner, at=MONDAY + (day - 4) * DAY)
        end(made.id, MONDAY + day * DAY, **how)

    return trade


def test_the_same_pair_counts_once_in_thirty_days_and_late_parcels_always(
    traded, alice, bob
):
    late = {"state": TradeState.DEFAULTED, "finding": Finding.NEVER_DISPATCHED}
    for day in (0, 10, 29, 30, 50):
        traded(bob, day)
    traded(make_account("dora"), 12)
    for day in (13, 14):
        traded(bob, day, **late)

    record = queries.record_of(alice.id)
    assert (record.completed, record.partners) == (3, 2)
    assert (record.on_time, record.late, record.ended) == (3, 2, 5)
    db.session.refresh(alice)
    assert (alice.completed_count, alice.on_time_count) == (3, 3)
    recent = queries.record_of(alice.id, since=MONDAY + 30 * DAY)
    assert (recent.completed, recent.partners, recent.late) == (1, 1, 0)


def test_days_to_dispatch_ask_the_newest_fifty_parcels_in_one_statement(
    traded, alice, bob, statements
):
    assert queries.days_to_dispatch(alice.id) == (None, 0)
    for day in (0, 40):
        traded(bob, day)  # each was called a day before it could be sent
    sent = {"dispatched_at": MONDAY + 38 * DAY, "received_at": MONDAY + 40 * DAY}
    with in_transaction():
        db.session.query(Leg).filter_by(sender_id=alice.id).update(sent)

    her_id = alice.id
    with statements() as seen:
        days, parcels = queries.days_to_dispatch(her_id)

    assert parcels == 2
    assert days == 23  # between 3 and 43
    assert len(seen) == 1


def test_quick_parcels_to_one_partner_raise_nothing(traded, alice, bob):
    traded(make_account("dora"), 4)
    with in_transaction():
        slow = {"dispatched_at": MONDAY + 8 * DAY, "received_at": MONDAY + 9 * DAY}
        db.session.query(Leg).filter_by(sender_id=alice.id).update(slow)
    before = queries.days_to_dispatch(alice.id)[0]
    traded(bob, 10)
    with_one = queries.days_to_dispatch(alice.id)

    for day in range(11, 20):
        traded(bob, day)

    assert before > with_one[0]
    assert queries.days_to_dispatch(alice.id) == with_one == (with_one[0], 2)
