"""Ask about people through their trades: record, reveals, who may be one person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, case, distinct, exists, func, or_, select
from sqlalchemy.orm import aliased

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, DeviceUse
from tradeboard.core.db import db
from tradeboard.trades.models import Leg, PhoneSide, Trade
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import RUNNING, LegState, TradeState

# What waits for a moderator is on no record: it would tell that somebody waits.
LATE = (
    Finding.NEVER_DISPATCHED,
    Finding.NOT_RECEIVED_TRACKED,
    Finding.NOT_RECEIVED_UNTRACKED,
)


@dataclass(frozen=True)
class Record:
    """What stands beside a name (B-03); all are counts of trades."""

    completed: int
    partners: int
    on_time: int
    ended: int
    late: int
    cancelled: int


def record_of(account_id: int) -> Record:
    """Count a person's record: ended parcels are those that came or fell due."""
    own = or_(Trade.poster_id == account_id, Trade.proposer_id == account_id)
    partner = case(
        (Trade.poster_id == account_id, Trade.proposer_id), else_=Trade.poster_id
    )
    done = Trade.state == TradeState.RECEIVED
    cancelled = and_(
        Trade.state == TradeState.CANCELLED, Trade.first_dispatched_at.is_(None)
    )
    trades = db.session.execute(
        select(
            func.count(case((done, 1))),
            func.count(distinct(case((done, partner)))),
            func.count(case((cancelled, 1))),
        ).where(own)
    ).one()
    late = and_(Leg.finding.in_(LATE), Leg.excused_at.is_(None))
    came = and_(Leg.state == LegState.RECEIVED, Leg.finding.is_(None))
    in_time = or_(came, Leg.excused_at.is_not(None))
    ended_in = Trade.state.in_((TradeState.RECEIVED, TradeState.DEFAULTED))
    parcels = db.session.execute(
        select(
            func.count(case((in_time, 1))),
            func.count(case((late, 1))),
        )
        .join(Trade, Leg.trade_id == Trade.id)
        .where(Leg.sender_id == account_id, ended_in)
    ).one()
    return Record(
        completed=trades[0],
        partners=trades[1],
        cancelled=trades[2],
        on_time=parcels[0],
        late=parcels[1],
        ended=parcels[0] + parcels[1],
    )


def has_open_offer(listing_id: int, proposer_id: int) -> bool:
    """Tell whether a person negotiates on a listing already."""
    found = select(Trade.id).where(
        Trade.listing_id == listing_id,
        Trade.proposer_id == proposer_id,
        Trade.state == TradeState.NEGOTIATING,
    )
    return db.session.scalar(found.limit(1)) is not None


def has_running_trade(account_id: int) -> bool:
    """Tell whether a person is in a trade that has not ended."""
    own = or_(Trade.poster_id == account_id, Trade.proposer_id == account_id)
    found = select(Trade.id).where(own, Trade.state.in_(sorted(RUNNING)))
    return db.session.scalar(found.limit(1)) is not None


def are_one_person(one_id: int, other_id: int) -> bool:
    """Tell whether two accounts share a device and a confirmed phone number.

    Hashes can be compared as they are: whenever a number is sealed, all hashes of it
    move to the key in use (`services.rekeying.move_number`).
    """
    mine, theirs = aliased(DeviceUse), aliased(DeviceUse)
    shares_device = db.session.scalar(
        select(
            exists().where(
                mine.account_id == one_id,
                theirs.account_id == other_id,
                mine.device_id == theirs.device_id,
            )
        )
    )
    if not shares_device:
        return False
    return bool(confirmed_phone_hashes(one_id) & confirmed_phone_hashes(other_id))


def confirmed_phone_hashes(account_id: int) -> set[tuple[str, str]]:
    """Return the keyed hashes (with key id) of numbers confirmed by a call."""
    found = (
        select(PhoneSide.number_hash, PhoneSide.number_kid)
        .join(Trade, PhoneSide.trade_id == Trade.id)
        .where(
            PhoneSide.account_id == account_id,
            PhoneSide.number_hash.is_not(None),
            Trade.phone_confirmed_at.is_not(None),
        )
    )
    return {
        (number, kid) for number, kid in db.session.execute(found) if number and kid
    }


def open_reveals(account_id: int, *, but: int) -> int:
    """Count the other trades with opened numbers and no confirmed call."""
    found = _revealed_to(account_id, but).where(Trade.state == TradeState.AGREED)
    return db.session.scalar(found) or 0


def reveals_since(account_id: int, since: datetime, *, but: int) -> int:
    """Count the other trades whose numbers were opened since an instant.

    Where the seals were broken again, the last move stands for the reveal before it.
    """
    at = func.coalesce(Trade.revealed_at, Trade.moved_at)
    found = _revealed_to(account_id, but).where(at > since)
    return db.session.scalar(found) or 0


def _revealed_to(account_id: int, but: int):
    """Ask for trades that had a round of words: the first one begins by revealing."""
    own = or_(Trade.poster_id == account_id, Trade.proposer_id == account_id)
    return select(func.count(Trade.id)).where(
        own, Trade.id != but, Trade.words_round > 0
    )


def moderators_outside(trade: Trade) -> Sequence[Account]:
    """Return the moderators who are no party to a trade."""
    parties = (trade.poster_id, trade.proposer_id)
    return [person for person in accounts.staff() if person.id not in parties]
