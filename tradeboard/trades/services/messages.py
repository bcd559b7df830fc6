"""What the two write to each other, and that it was read."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import blocking
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken, TooMany
from tradeboard.notifications.services import queue_mail, read_where_it_leads
from tradeboard.trades import queries
from tradeboard.trades.models import Message, MessagePhoto, Trade
from tradeboard.trades.photos import Stored
from tradeboard.trades.rules import phrases
from tradeboard.trades.rules.states import RUNNING, TradeState
from tradeboard.trades.services import texts

TALKING = RUNNING | {TradeState.DEFAULTED, TradeState.RECEIVED}
MOST_PHOTOS = 4


def say(
    trade_id: int,
    text: str,
    pictures: Sequence[Stored] = (),
    *,
    by: Account,
    now: datetime,
) -> Message:
    """Write to the partner, with up to four photos, which can go without words."""
    trade = _trade_to_talk_in(trade_id, by)
    text = text.strip()
    if not text and not pictures:
        raise RuleBroken("メッセージを書いてください。", field="text")
    if len(pictures) > MOST_PHOTOS:
        raise RuleBroken("写真は1回に%(n)s枚までです。", field="photo", n=MOST_PHOTOS)
    texts.check(text, field="text", by=by)
    said = _send(trade, Message(text=text), by, now)
    db.session.flush()
    for picture in pictures:
        if db.session.get(MessagePhoto, picture.id) is not None:
            continue  # Sent already, from a page that was opened again.
        db.session.add(
            MessagePhoto(
                id=picture.id,
                message_id=said.id,
                by_id=by.id,
                width=picture.width,
                height=picture.height,
                added_at=now,
            )
        )
    return said


def say_phrase(trade_id: int, code: str, *, by: Account, now: datetime) -> Message:
    """Send a ready sentence; each of the two reads it in his own language.

    Whether the parcel has come may be asked once in 48 hours.
    """
    trade = _trade_to_talk_in(trade_id, by)
    if code not in queries.phrases_for(trade, by.id, now):
        raise RuleBroken("この文は、いまの取引では使えません。", field="text")
    if code == phrases.NUDGE:
        _may_nudge(trade, by, now)
    # The words themselves are kept too: as evidence they stay as they were sent.
    said = Message(text=str(phrases.PHRASES[code]), phrase=code)
    return _send(trade, said, by, now)


def read(trade_id: int, up_to: int, *, by: Account, now: datetime) -> int:
    """Mark the partner's messages up to one as read; return how many were not."""
    trade = queries.get_trade_of(by.id, trade_id)
    unread = queries.unread_messages(trade.id, by.id, up_to)
    for message in unread:
        message.read_at = now
    read_where_it_leads(by.id, f"/trades/{trade.id}#talk", now=now)
    return len(unread)


def see_photo(photo_id: str, *, by: Account) -> Trade:
    """Return the trade of a photo to one of the two or to staff; others find none."""
    _photo, trade = queries.get_message_photo(photo_id)
    if not by.may(Act.SEE_PROOF):
        queries.get_trade_of(by.id, trade.id)
    return trade


def _trade_to_talk_in(trade_id: int, by: Account) -> Trade:
    trade = queries.get_trade_of(by.id, trade_id)
    if trade.state not in TALKING:
        raise Conflict("この取引は終わったので、メッセージは送れません。")
    if trade.state is TradeState.NEGOTIATING:
        blocking.require_welcome(by, trade.partner_of(by.id).id)
    return trade


def _may_nudge(trade: Trade, by: Account, now: datetime) -> None:
    # Two at once would each see no other: the row of the trade lets one pass.
    db.session.execute(select(Trade.id).where(Trade.id == trade.id).with_for_update())
    again = phrases.nudge_again(queries.last_nudge(trade.id, by.id))
    if again is not None and now < again:
        raise TooMany(
            "「届きましたか」とたずねられるのは、48時間に1回です。", retry_at=again
        )


def _send(trade: Trade, said: Message, by: Account, now: datetime) -> Message:
    """Add a message; while it is unread, a mail tells of more once an hour."""
    said.trade_id, said.author_id, said.sent_at = trade.id, by.id, now
    db.session.add(said)
    queue_mail(
        trade.partner_of(by.id),
        "trades/mail/message.txt",
        key=f"message:{trade.id}:{by.id}:{now.isoformat()}",
        now=now,
        trade=trade.id,
        partner=by.handle,
    )
    return said
