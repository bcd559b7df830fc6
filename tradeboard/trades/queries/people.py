"""Ask about people through their trades: record, reveals, who may be one person."""

from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from datetime import datetime

from sqlalchemy import (
    Integer,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    union_all,
)
from sqlalchemy.orm import aliased

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, DeviceUse
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.trades.models import Leg, PhoneSide, Trade
from tradeboard.trades.rules import records
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import RUNNING, LegState, TradeState

# What waits for a moderator is on no record: it would tell that somebody waits.
LATE = (
    Finding.NEVER_DISPATCHED,
    Finding.NOT_RECEIVED_TRACKED,
    Finding.NOT_RECEIVED_UNTRACKED,
)
PARCELS_ASKED, PARCELS_READ = 50, 500


@dataclass(frozen=True)
class Record:
    """What stands beside a name (B-03); all are counts of trades."""

    completed: int
    partners: int
    on_time: int
    ended: int
    late: int
    cancelled: int


def record_of(account_id: int, *, since: datetime | None = None) -> Record:
    """Count a person's record, or the part of it that ended since an instant.

    Completed trades and parcels in time count once for each partner in 30 days.
    """
    return records_of({account_id}, since=since)[account_id]


def records_of(
    account_ids: Set[int], *, since: datetime | None = None
) -> dict[int, Record]:
    """Count several people's records, in three statements however many."""
    done, cancelled = _completed(account_ids, since), _cancelled(account_ids, since)
    in_time, late = _parcels(account_ids, since)
    return {
        id: _record(done[id], in_time[id], late[id], cancelled[id])
        for id in account_ids
    }


def _record(done: list, in_time: list, late: int, cancelled: int) -> Record:
    on_time = len(records.groups(in_time))
    return Record(
        completed=len(records.groups(done)),
        partners=len({partner for partner, *_ in done}),
        cancelled=cancelled,
        on_time=on_time,
        late=late,
        ended=on_time + late,
    )


def days_to_dispatch(account_id: int) -> tuple[int | None, int]:
    """Return the median from the call to the dispatch, and of how many parcels.

    The newest 50 parcels of trades that ended well are asked; of those to one partner
    within 30 days, the slowest. Others would tell of a parcel that nobody may know of.
    """
    found = (
        select(
            Leg.recipient_id,
            Trade.ended_at,
            Leg.dispatched_at,
            Trade.phone_confirmed_at,
        )
        .join(Trade, Leg.trade_id == Trade.id)
        .where(
            Leg.sender_id == account_id,
            Leg.dispatched_at.is_not(None),
            Trade.phone_confirmed_at.is_not(None),
            Trade.state == TradeState.RECEIVED,
        )
        .order_by(Leg.id.desc())
        .limit(PARCELS_READ)
    )
    rows = db.session.execute(found)
    counted = records.groups(
        (to, at, sent - called)
        for to, at, sent, called in rows
        if at and sent and called
    )
    waits = [max(group) for group in counted[-PARCELS_ASKED:]]
    return records.days_between(waits), len(waits)


def _completed(account_ids: Set[int], since: datetime | None):
    """Return, per person, partner and end of each trade that ended well."""
    both = (Trade.poster_id, Trade.proposer_id, Trade.ended_at, Trade.id)
    found = select(*both).where(_own(account_ids), Trade.state == TradeState.RECEIVED)
    rows = defaultdict(list)
    for poster, proposer, at, trade_id in db.session.execute(_since(found, since)):
        rows[poster].append((proposer, at, trade_id))
        rows[proposer].append((poster, at, trade_id))
    return rows


def _cancelled(account_ids: Set[int], since: datetime | None) -> Counter[int]:
    """Count, per person, the trades cancelled before anything was sent."""
    sides = [
        _since(
            select(side, func.count()).where(
                side.in_(account_ids),
                Trade.state == TradeState.CANCELLED,
                Trade.first_dispatched_at.is_(None),
            ),
            since,
        ).group_by(side)
        for side in (Trade.poster_id, Trade.proposer_id)
    ]
    counted: Counter[int] = Counter()
    for account_id, trades in db.session.execute(union_all(*sides)):
        counted[account_id] += trades
    return counted


def _parcels(account_ids: Set[int], since: datetime | None):
    """Return, per person, the parcels that came in time, and how many were late."""
    late = and_(Leg.finding.in_(LATE), Leg.excused_at.is_(None))
    came = and_(Leg.state == LegState.RECEIVED, Leg.finding.is_(None))
    in_time = or_(came, Leg.excused_at.is_not(None))
    parcels = (
        select(
            Leg.sender_id, Leg.recipient_id, Trade.ended_at, case((in_time, 1), else_=0)
        )
        .join(Trade, Leg.trade_id == Trade.id)
        .where(
            Leg.sender_id.in_(account_ids),
            Trade.state.in_((TradeState.RECEIVED, TradeState.DEFAULTED)),
            or_(in_time, late),
        )
    )
    came_in_time = defaultdict(list)
    were_late: Counter[int] = Counter()
    for sender, recipient, at, is_in_time in db.session.execute(_since(parcels, since)):
        if is_in_time:
            came_in_time[sender].append((recipient, at, is_in_time))
        else:
            were_late[sender] += 1
    return came_in_time, were_late


def _own(account_ids: Set[int]):
    return or_(Trade.poster_id.in_(account_ids), Trade.proposer_id.in_(account_ids))


def _since(found, since: datetime | None):
    return found if since is None else found.where(Trade.ended_at >= since)


_MINE, _THEIRS = aliased(DeviceUse), aliased(DeviceUse)
# Asked at every offer, hence built once.
_SHARE_DEVICE = select(
    exists().where(
        _MINE.account_id == bindparam("one_id", type_=Integer),
        _THEIRS.account_id == bindparam("other_id", type_=Integer),
        _MINE.device_id == _THEIRS.device_id,
    )
)


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
    both = {"one_id": one_id, "other_id": other_id}
    return bool(db.session.scalar(_SHARE_DEVICE, both)) and share_a_number(
        one_id, other_id
    )


def share_a_number(one_id: int, other_id: int) -> bool:
    """Tell whether a number of one was confirmed by a call of the other, too."""
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
