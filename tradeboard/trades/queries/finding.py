"""Find one trade, or a page of them."""

from collections.abc import Sequence

from sqlalchemy import Integer, bindparam, or_, select
from sqlalchemy.orm import joinedload

from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.trades.models import Leg, Proposal, Trade
from tradeboard.trades.rules.states import TradeState

_LEG = (
    select(Leg)
    .where(Leg.id == bindparam("leg_id", type_=Integer))
    .options(joinedload(Leg.trade, innerjoin=True))
)


def get_trade(trade_id: int) -> Trade:
    """Return the trade or raise NotFound."""
    return _found(db.session.get(Trade, trade_id))


def get_trade_of(account_id: int, trade_id: int) -> Trade:
    """Return the trade to one of the two who swap; to others it does not exist."""
    trade = db.session.get(Trade, trade_id)
    if trade is not None and account_id not in (trade.poster_id, trade.proposer_id):
        trade = None
    return _found(trade)


def get_leg(leg_id: int) -> Leg:
    """Return the parcel with its trade, or raise NotFound.

    Both are read at one moment: the version of a trade that was read after its parcel
    would not tell that the parcel has changed in between.
    """
    return _found(db.session.scalar(_LEG, {"leg_id": leg_id}))


def get_proposal(proposal_id: int) -> Proposal:
    """Return the proposal with its trade, read at one moment, or raise NotFound."""
    found = select(Proposal).where(Proposal.id == proposal_id)
    with_trade = found.options(joinedload(Proposal.trade))
    return _found(db.session.scalar(with_trade))


def get_proposal_of(account_id: int, proposal_id: int) -> Proposal:
    """Return the proposal to one of the two."""
    proposal = get_proposal(proposal_id)
    get_trade_of(account_id, proposal.trade_id)
    return proposal


def negotiating_on(listing_id: int) -> Sequence[Trade]:
    """Return the trades that are still being negotiated on a listing."""
    found = select(Trade).where(
        Trade.listing_id == listing_id, Trade.state == TradeState.NEGOTIATING
    )
    return db.session.scalars(found.order_by(Trade.id)).all()


def trades_of(
    account_id: int, *, before: int | None = None, limit: int = 25
) -> Sequence[Trade]:
    """Return a person's trades, newest first, or those before an id."""
    own = or_(Trade.poster_id == account_id, Trade.proposer_id == account_id)
    found = select(Trade).where(own).order_by(Trade.id.desc()).limit(limit)
    if before is not None:
        found = found.where(Trade.id < before)
    return db.session.scalars(found).all()


def trades_in(
    state: TradeState | None, *, after: int = 0, limit: int = 500
) -> Sequence[Trade]:
    """Return trades by state, oldest first: for the operator's commands."""
    found = select(Trade).where(Trade.id > after).order_by(Trade.id).limit(limit)
    if state is not None:
        found = found.where(Trade.state == state)
    return db.session.scalars(found).all()


def _found(row):
    if row is None:
        raise NotFound("取引が見つかりません。")
    return row
