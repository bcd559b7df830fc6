"""How trades end: what becomes free again, what is kept, and for how long."""

from datetime import datetime

from tradeboard.core.errors import Conflict
from tradeboard.listings import services as listings
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import Answer, LegState, Party, TradeState
from tradeboard.trades.services import records
from tradeboard.trades.services.moving import move


def end(trade: Trade, *, by_id: int | None, now: datetime) -> None:
    """Close a trade that has just reached a final state.

    Open proposals are overtaken, numbers are masked at once and kept for 30 days, the
    records of both are counted anew.
    """
    close(trade, by_id=by_id, now=now)
    records.count_all([trade])


def close(trade: Trade, *, by_id: int | None, now: datetime) -> None:
    """Do all of it but count; whoever closes several trades counts for all at once."""
    trade.ended_at, trade.ended_by_id = now, by_id
    trade.turn = trade.answer_by = trade.call_by = trade.dispatch_by = None
    overtake_proposals(trade, now=now)
    if any(side.number is not None for side in trade.phones):
        trade.numbers_until = now + clock.NUMBERS_ARE_KEPT


def overtake_proposals(trade: Trade, *, now: datetime) -> None:
    """Let events decide what was still proposed."""
    for proposal in trade.proposals:
        if proposal.answered_at is None:
            proposal.answered_at, proposal.answer = now, Answer.OVERTAKEN


def release(trade: Trade, *, now: datetime) -> None:
    """Give back all copies that were reserved for a trade that came to nothing."""
    listings.release(queries.promised(trade, Party.POSTER), now=now)


def trade_away(trade: Trade, *, now: datetime) -> None:
    """Take the copies that changed hands off the listing."""
    listings.trade_away(queries.promised(trade, Party.POSTER), now=now)


def cancel_quiet(trade_id: int, *, now: datetime) -> None:
    """Cancel a trade without a call or without any dispatch: nobody's fault."""
    trade = queries.get_trade(trade_id)
    waiting = {
        TradeState.AGREED: trade.call_by,
        TradeState.PHONE_CONFIRMED: trade.dispatch_by,
    }
    if not clock.is_over(waiting.get(trade.state), now):
        raise Conflict("期限はまだ過ぎていません。")
    was = trade.state
    move(trade, "go quiet", by_id=None, now=now, was=was)
    cancelled(trade, by_id=None, now=now, why=f"quiet_{was}")


def cancelled(trade: Trade, *, by_id: int | None, now: datetime, why: str) -> None:
    """Finish a trade that has just become cancelled; both are told why."""
    release_or_trade_away(trade, now=now)
    trade.due_at = None
    end(trade, by_id=by_id, now=now)
    for person in (trade.poster, trade.proposer):
        queue_mail(
            person,
            "trades/mail/cancelled.txt",
            key=f"cancelled:{trade.id}:{person.id}",
            now=now,
            trade=trade.id,
            partner=trade.partner_of(person.id).handle,
            why=why,
        )


def release_or_trade_away(trade: Trade, *, now: datetime) -> None:
    """Give back the poster's copies, but for those whose parcel is on its way."""
    leg = _poster_leg(trade)
    if leg is not None and leg.state is not LegState.NOT_SENT:
        trade_away(trade, now=now)
    else:
        release(trade, now=now)


def received(trade: Trade, *, by_id: int | None, now: datetime) -> None:
    """Finish a trade in which everything came as agreed; both records grow."""
    trade_away(trade, now=now)
    end(trade, by_id=by_id, now=now)
    for person in (trade.poster, trade.proposer):
        queue_mail(
            person,
            "trades/mail/all_received.txt",
            key=f"all-received:{trade.id}:{person.id}",
            now=now,
            trade=trade.id,
            partner=trade.partner_of(person.id).handle,
        )


def _poster_leg(trade: Trade) -> Leg | None:
    return next((leg for leg in trade.legs if leg.sender_id == trade.poster_id), None)
