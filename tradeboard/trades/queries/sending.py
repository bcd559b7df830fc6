"""Read what is decided on when a parcel is sent: columns, all at one moment."""

from datetime import datetime

from sqlalchemy import Integer, bindparam, exists, select
from sqlalchemy.orm import aliased

from tradeboard.accounts.models import Account
from tradeboard.core import prepared
from tradeboard.core.errors import NotFound
from tradeboard.core.records import dataclass
from tradeboard.trades.models import Leg, Proposal, Trade
from tradeboard.trades.rules.states import LegState, TradeState


@dataclass
class Person:
    """Somebody who is told of a trade, as columns were read of him."""

    id: int
    handle: str
    email_wire: str
    language: str
    time_zone: str


@dataclass(frozen=True)
class Sending:
    """A parcel, the trade that it belongs to, and the two people, as they were read."""

    sender: Person
    recipient: Person
    trade_id: int
    leg_state: LegState
    state: TradeState
    version: int
    poster_id: int
    proposer_id: int
    dispatch_by: datetime | None
    due_at: datetime | None
    first_dispatched_at: datetime | None
    has_open_proposal: bool

    @property
    def sender_id(self) -> int:
        """Return who sends it."""
        return self.sender.id


_SENDER, _RECIPIENT = aliased(Account), aliased(Account)


def person_columns(of):
    """Return the columns that make a `Person`, in its order."""
    return of.id, of.handle, of.email_wire, of.language, of.time_zone


# Asked at every dispatch, hence built once.
_TO_SEND = (
    select(
        *person_columns(_SENDER),
        *person_columns(_RECIPIENT),
        Leg.trade_id,
        Leg.state,
        Trade.state,
        Trade.version,
        Trade.poster_id,
        Trade.proposer_id,
        Trade.dispatch_by,
        Trade.due_at,
        Trade.first_dispatched_at,
        exists().where(Proposal.trade_id == Trade.id, Proposal.answered_at.is_(None)),
    )
    .join(Trade, Trade.id == Leg.trade_id)
    .join(_SENDER, _SENDER.id == Leg.sender_id)
    .join(_RECIPIENT, _RECIPIENT.id == Leg.recipient_id)
    .where(Leg.id == bindparam("leg_id", type_=Integer))
)


def parcel_to_send(leg_id: int) -> Sending:
    """Return the parcel with its trade and both people, or raise NotFound.

    The version of the trade guards what was read beside it.
    """
    found = prepared.in_session(_TO_SEND, {"leg_id": leg_id})
    if not found:
        raise NotFound("取引が見つかりません。")
    row = found[0]
    return Sending(Person(*row[:5]), Person(*row[5:10]), *row[10:])
