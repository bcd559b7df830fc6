"""Read feedback: one's own, what is shown, what may still be written."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Integer, Select, and_, bindparam, or_, select, tuple_
from sqlalchemy.orm import aliased, selectinload

from tradeboard.core.db import UtcDateTime, db, one_of
from tradeboard.core.errors import NotFound
from tradeboard.core.paging import Cursor
from tradeboard.core.records import dataclass
from tradeboard.feedback import rules
from tradeboard.feedback.models import Feedback
from tradeboard.feedback.rules import Summary
from tradeboard.trades.models import Trade

BATCH = 200
DRAFT = "feedback"


@dataclass(frozen=True)
class Room:
    """What one of the two sees of the feedback about a trade.

    `theirs` is None until it is shown, whether it was written or not.
    """

    own: Feedback | None
    theirs: Feedback | None
    until: datetime | None
    may_write: bool


def room_of(trade: Trade, account_id: int, now: datetime) -> Room:
    """Return the feedback about a trade as one of the two may see it."""
    said = {row.by_id: row for row in of_trade(trade.id)}
    own = said.pop(account_id, None)
    theirs = next((row for row in said.values() if row.shown_at), None)
    is_over = trade.state in rules.WRITTEN_IN and trade.ended_at is not None
    until = rules.write_until(trade.ended_at) if is_over and trade.ended_at else None
    may_write = until is not None and now < until and not (own or theirs)
    return Room(own, theirs, until, may_write)


def of_trade(trade_id: int) -> Sequence[Feedback]:
    """Return what was written about a trade, shown or not."""
    found = select(Feedback).where(Feedback.trade_id == trade_id).order_by(Feedback.id)
    return db.session.scalars(found).all()


def get_shown(feedback_id: int) -> Feedback:
    """Return feedback that everybody may see, with its writer, or raise NotFound."""
    found = (
        select(Feedback)
        .where(Feedback.id == feedback_id, Feedback.shown_at.is_not(None))
        .options(selectinload(Feedback.by), selectinload(Feedback.about))
    )
    row = db.session.scalar(found)
    if row is None:
        raise NotFound("評価が見つかりません。")
    return row


def shown_about(
    account_id: int, *, before: Cursor | None = None, limit: int
) -> Sequence[Feedback]:
    """Return what is shown about a person, newest first, with who wrote it."""
    found = select(Feedback).where(
        Feedback.about_id == account_id, Feedback.shown_at.is_not(None)
    )
    if before is not None:
        place = tuple_(Feedback.shown_at, Feedback.id)
        found = found.where(place < (before.at, before.id))
    newest = found.order_by(Feedback.shown_at.desc(), Feedback.id.desc())
    return db.session.scalars(
        newest.options(selectinload(Feedback.by)).limit(limit)
    ).all()


def summary_of(account_id: int) -> Summary:
    """Count what is shown about a person."""
    found = select(Feedback.by_id, Feedback.written_at, Feedback.grade).where(
        Feedback.about_id == account_id, Feedback.shown_at.is_not(None)
    )
    return rules.summary((by, at, grade) for by, at, grade in db.session.execute(found))


def open_for(account_id: int, now: datetime) -> Sequence[Trade]:
    """Return the ended trades about which a person may still write, oldest first."""
    at = {"account_id": account_id, "since": first_open(now)}
    return db.session.scalars(_open(), at).unique().all()


def open_trades(*columns) -> Select:
    """Select trades about which a member may still write.

    The gaps are `account_id` and `since`, which is `first_open(now)`.
    """
    own, theirs = aliased(Feedback), aliased(Feedback)
    member = bindparam("account_id", type_=Integer)
    written = and_(own.trade_id == Trade.id, own.by_id == member)
    shown = and_(theirs.trade_id == Trade.id, theirs.shown_at.is_not(None))
    return (
        select(*columns)
        .outerjoin(own, written)
        .outerjoin(theirs, shown)
        .where(
            or_(Trade.poster_id == member, Trade.proposer_id == member),
            one_of(Trade.state, rules.WRITTEN_IN),
            Trade.ended_at > bindparam("since", type_=UtcDateTime),
            own.id.is_(None),
            theirs.id.is_(None),
        )
    )


def first_open(now: datetime) -> datetime:
    """Return since when a trade must have ended for feedback to be possible still."""
    return now - rules.WRITTEN_WITHIN


@cache
def _open() -> Select:
    return open_trades(Trade).order_by(Trade.ended_at, Trade.id)


def due_trade_ids(now: datetime, limit: int = BATCH) -> Sequence[int]:
    """Return the trades with feedback whose time to be shown has come."""
    found = (
        select(Feedback.trade_id, Feedback.reveal_at)
        .where(Feedback.shown_at.is_(None), Feedback.reveal_at <= now)
        .order_by(Feedback.reveal_at, Feedback.id)
        .limit(limit)
    )
    return list(dict.fromkeys(row[0] for row in db.session.execute(found)))
