"""Read what the two write to each other, and what of it is unread."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Integer, bindparam, func, or_, select, union
from sqlalchemy.orm import selectinload

from tradeboard.core import prepared
from tradeboard.core.db import db
from tradeboard.core.drafts import FormDraft
from tradeboard.core.errors import NotFound
from tradeboard.trades.models import Message, MessagePhoto, Proof, Trade
from tradeboard.trades.rules.phrases import NUDGE

MESSAGE_DRAFT = "message"

# Asked whenever a room is shown, hence put together once.
_TRADE = bindparam("trade_id", type_=Integer)
_MARK = select(func.max(Message.id), func.count(Message.read_at)).where(
    Message.trade_id == _TRADE
)
_LAST_NUDGE = select(func.max(Message.sent_at)).where(
    Message.trade_id == _TRADE,
    Message.author_id == bindparam("account_id", type_=Integer),
    Message.phrase == NUDGE,
)


def messages_of(
    trade_id: int, *, before: int | None = None, limit: int = 50
) -> list[Message]:
    """Return the newest messages of a trade in the order of writing, with photos."""
    found = select(Message).where(Message.trade_id == trade_id)
    if before is not None:
        found = found.where(Message.id < before)
    found = found.options(selectinload(Message.photos))
    newest = db.session.scalars(found.order_by(Message.id.desc()).limit(limit)).all()
    return list(reversed(newest))


def unread_of(account_id: int) -> dict[int, int]:
    """Count the unread messages to a person, by trade."""
    own = or_(Trade.poster_id == account_id, Trade.proposer_id == account_id)
    found = (
        select(Message.trade_id, func.count())
        .join(Trade, Trade.id == Message.trade_id)
        .where(own, Message.author_id != account_id, Message.read_at.is_(None))
        .group_by(Message.trade_id)
    )
    return {trade_id: count for trade_id, count in db.session.execute(found)}


def unread_messages(trade_id: int, reader_id: int, up_to: int) -> Sequence[Message]:
    """Return what the partner wrote, up to one message, and nobody has read."""
    found = select(Message).where(
        Message.trade_id == trade_id,
        Message.author_id != reader_id,
        Message.id <= up_to,
        Message.read_at.is_(None),
    )
    return db.session.scalars(found).all()


def talk_mark(trade_id: int) -> tuple:
    """Return what changes whenever somebody writes or reads in a trade."""
    return tuple(prepared.alone(_MARK, {"trade_id": trade_id})[0])


def last_nudge(trade_id: int, account_id: int) -> datetime | None:
    """Return when a person last asked whether the parcel has come."""
    asked = {"trade_id": trade_id, "account_id": account_id}
    return prepared.alone(_LAST_NUDGE, asked)[0][0]


def get_message_photo(photo_id: str) -> tuple[MessagePhoto, Trade]:
    """Return a photo of a message and its trade, or raise NotFound."""
    found = (
        select(MessagePhoto, Trade)
        .join(Message, Message.id == MessagePhoto.message_id)
        .join(Trade, Trade.id == Message.trade_id)
        .where(MessagePhoto.id == photo_id)
    )
    row = db.session.execute(found).one_or_none()
    if row is None:
        raise NotFound("写真が見つかりません。")
    return row[0], row[1]


def sent_photos(photo_ids: Iterable[str]) -> set[str]:
    """Return which of these pictures a parcel or a message has."""
    asked = set(photo_ids)
    proofs = select(Proof.id).where(Proof.id.in_(asked))
    said = select(MessagePhoto.id).where(MessagePhoto.id.in_(asked))
    return set(db.session.scalars(union(proofs, said)))


def named_photos(photo_ids: Iterable[str]) -> set[str]:
    """Return which of these pictures a parcel, a message or anybody's draft has."""
    asked = set(photo_ids)
    drafts = select(FormDraft.fields).where(FormDraft.kind == MESSAGE_DRAFT)
    waiting = {
        photo[0]
        for fields in db.session.scalars(drafts)
        for photo in fields.get("photos", ())
    }
    return sent_photos(asked) | (asked & waiting)
