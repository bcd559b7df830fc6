"""What the two write to each other."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries
from tradeboard.trades.models import Message
from tradeboard.trades.rules.states import RUNNING, TradeState
from tradeboard.trades.services import texts

TALKING = RUNNING | {TradeState.DEFAULTED, TradeState.RECEIVED}


def say(trade_id: int, text: str, *, by: Account, now: datetime) -> Message:
    """Write to the partner; a mail tells of it, at most once an hour."""
    trade = queries.get_trade_of(by.id, trade_id)
    if trade.state not in TALKING:
        raise Conflict("この取引は終わったので、メッセージは送れません。")
    text = text.strip()
    if not text:
        raise RuleBroken("メッセージを書いてください。", field="text")
    texts.check(text, field="text", by=by)
    message = Message(trade_id=trade.id, author_id=by.id, text=text, sent_at=now)
    db.session.add(message)
    queue_mail(
        trade.partner_of(by.id),
        "trades/mail/message.txt",
        key=f"message:{trade.id}:{by.id}:{now:%Y%m%d%H}",
        now=now,
        trade=trade.id,
        partner=by.handle,
    )
    return message
