"""Make trades that have ended, and let people say how they were."""

from datetime import timedelta

from tests.factories import MONDAY, in_transaction
from tests.worlds import make_trade
from tradeboard.core.db import db
from tradeboard.feedback import services
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

DAY = timedelta(days=1)
ENDED = MONDAY + 4 * DAY


def ended(poster, proposer, *, at=ENDED, state=TradeState.RECEIVED):
    """Make a trade that has ended at a moment; return its id."""
    trade = make_trade(poster, proposer, at=at - 4 * DAY)
    trade_id = trade.id
    with in_transaction():
        trade = db.session.get_one(Trade, trade_id)
        trade.state, trade.ended_at = state, at
    return trade_id


def say(trade_id, by, grade="good", words="", *, at=ENDED, tags=()):
    """Let one of the two say how it was."""
    with in_transaction():
        by = db.session.merge(by, load=True)
        return services.write(trade_id, grade, tags, words, by=by, now=at)
