"""Ask which trades the clock has something to do with, each by its own index."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import or_, select
from sqlalchemy.orm import selectinload

from tradeboard.core.db import db
from tradeboard.trades.models import Leg, OfferVersion, Proposal, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import Condition, TradeState

BATCH = 500


def overdue_trade_ids(now: datetime, limit: int = BATCH) -> list[int]:
    """Return the trades that fell due and are still open, oldest first."""
    ready = or_(Trade.next_try_at.is_(None), Trade.next_try_at <= now)
    overdue = (
        select(Trade.id)
        .where(Trade.state == TradeState.SHIPPED, Trade.due_at <= now, ready)
        .order_by(Trade.due_at, Trade.id)
        .limit(limit)
    )
    return list(db.session.scalars(overdue))


def sweep_lag(now: datetime) -> timedelta | None:
    """Return how long the oldest overdue trade has waited for the sweep."""
    oldest = db.session.scalar(
        select(Trade.due_at)
        .where(Trade.state == TradeState.SHIPPED, Trade.due_at <= now)
        .order_by(Trade.due_at, Trade.id)
        .limit(1)
    )
    return None if oldest is None else now - oldest


def lock_overdue(trade_ids: Collection[int]) -> Sequence[Trade]:
    """Lock trades for their default, with all that belongs to them.

    Those that another sweeper has in hand are left out. SQLite ignores the clause:
    there, the transaction holds the only write lock already.
    """
    return db.session.scalars(
        select(Trade)
        .where(Trade.id.in_(trade_ids))
        .order_by(Trade.id)
        .with_for_update(skip_locked=True, of=Trade)
        .options(
            selectinload(Trade.poster),
            selectinload(Trade.proposer),
            selectinload(Trade.legs),
            selectinload(Trade.offers).selectinload(OfferVersion.lines),
            selectinload(Trade.proposals),
            selectinload(Trade.phones),
        )
        .execution_options(populate_existing=True)
    ).all()


def answers_due(now: datetime, limit: int = BATCH) -> list[int]:
    """Return the offers that nobody answered in time."""
    return _ids(TradeState.NEGOTIATING, Trade.answer_by, now, limit)


def quiet_trade_ids(now: datetime, limit: int = BATCH) -> list[int]:
    """Return the trades without a call, or without any dispatch, in time."""
    uncalled = _ids(TradeState.AGREED, Trade.call_by, now, limit)
    unsent = _ids(TradeState.PHONE_CONFIRMED, Trade.dispatch_by, now, limit)
    return uncalled + unsent


def silent_proposal_ids(now: datetime, limit: int = BATCH) -> list[int]:
    """Return the cancellations that the other side left unanswered."""
    silent = (
        select(Proposal.id)
        .where(Proposal.answered_at.is_(None), Proposal.silent_until <= now)
        .order_by(Proposal.silent_until)
        .limit(limit)
    )
    return list(db.session.scalars(silent))


def numbers_due(now: datetime, limit: int = BATCH) -> list[int]:
    """Return the trades whose numbers and addresses are to be erased."""
    due = select(Trade.id).where(Trade.numbers_until <= now)
    return list(db.session.scalars(due.order_by(Trade.numbers_until).limit(limit)))


def due_reminders(now: datetime) -> list[int]:
    """Return the trades near a deadline of which somebody is to be told."""
    near = (
        (TradeState.NEGOTIATING, Trade.answer_by, clock.ANSWER_NOTICE),
        (TradeState.AGREED, Trade.call_by, clock.CALL_NOTICE),
        (TradeState.SHIPPED, Trade.due_at, max(clock.NOTICES)),
    )
    found: list[int] = []
    for state, column, before in near:
        ids = select(Trade.id).where(
            Trade.state == state, column > now, column <= now + before
        )
        found += db.session.scalars(ids.order_by(column))
    return found


def closed_calls(limit: int = BATCH) -> Sequence[Trade]:
    """Return the trades whose call step waits for a moderator, oldest first."""
    found = (
        select(Trade)
        .where(Trade.state == TradeState.AGREED, Trade.call_closed_at.is_not(None))
        .order_by(Trade.call_closed_at)
        .limit(limit)
    )
    return db.session.scalars(found).all()


def differing_trades(limit: int = BATCH) -> Sequence[Trade]:
    """Return the trades in which something is not as agreed and no clock runs."""
    found = (
        select(Trade)
        .join(Leg, Leg.trade_id == Trade.id)
        .where(Trade.state == TradeState.SHIPPED)
        .where(Leg.condition == Condition.DIFFERS, Leg.solved_at.is_(None))
        .order_by(Leg.received_at)
        .limit(limit)
    )
    return db.session.scalars(found).unique().all()


def _ids(state, column, now, limit):
    due = select(Trade.id).where(Trade.state == state, column <= now)
    return list(db.session.scalars(due.order_by(column, Trade.id).limit(limit)))
