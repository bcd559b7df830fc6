"""Read what is decided on when an offer is made: columns, under the locks."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, bindparam, exists, select
from sqlalchemy.orm import aliased

from tradeboard.accounts.models import Account, Block, DeviceUse
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import prepared
from tradeboard.core.errors import NotFound
from tradeboard.core.records import dataclass
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import ListingState, Side
from tradeboard.terms import queries as terms
from tradeboard.trades.models import Trade
from tradeboard.trades.queries.sending import Person, person_columns
from tradeboard.trades.rules.states import TradeState


@dataclass
class Trader(Person):
    """Somebody who wants to deal, or is to be dealt with."""

    standing: Standing
    is_confirmed: bool


@dataclass(frozen=True)
class OfferedLine:
    """A line of a listing, as an offer takes from it."""

    id: int
    side: Side
    name: str
    set_code: str
    language: str
    condition: str
    free: int


@dataclass(frozen=True)
class Offered:
    """A listing, locked, with its lines and whose it is."""

    id: int
    owner_id: int
    state: ListingState
    owner: Trader
    lines: Sequence[OfferedLine]

    def on(self, side: Side) -> list[OfferedLine]:
        """Return the lines of one side."""
        return [line for line in self.lines if line.side is side]


@dataclass(frozen=True)
class Between:
    """What stands between two people, and between one of them and the terms."""

    terms: int | None
    agreed: int | None
    negotiates: bool
    owner_blocks: bool
    proposer_blocks: bool
    share_a_device: bool


_LISTING, _OWNER, _PROPOSER = (
    bindparam(name, type_=Integer) for name in ("listing_id", "owner_id", "account_id")
)
_MINE, _THEIRS = aliased(DeviceUse), aliased(DeviceUse)

# Asked at every offer, hence built once.
_LOCKED = (
    select(Listing.id, Listing.owner_id, Listing.state)
    .where(Listing.id == _LISTING)
    .with_for_update()
)
_TRADER = select(
    *person_columns(Account), Account.standing, Account.email_confirmed_at.is_not(None)
)
_LOCKED_PROPOSER = _TRADER.where(Account.id == _PROPOSER).with_for_update(
    key_share=True
)
_BETWEEN = _TRADER.add_columns(
    terms.NEWEST,
    terms.AGREED,
    exists().where(
        Trade.listing_id == _LISTING,
        Trade.proposer_id == _PROPOSER,
        Trade.state == TradeState.NEGOTIATING,
    ),
    exists().where(Block.account_id == _OWNER, Block.blocked_id == _PROPOSER),
    exists().where(Block.account_id == _PROPOSER, Block.blocked_id == _OWNER),
    exists().where(
        _MINE.account_id == _PROPOSER,
        _THEIRS.account_id == _OWNER,
        _MINE.device_id == _THEIRS.device_id,
    ),
).where(Account.id == _OWNER)
_LINES = (
    select(
        Line.id,
        Line.side,
        Line.name,
        Line.set_code,
        Line.language,
        Line.condition,
        Line.free,
    )
    .where(Line.listing_id == _LISTING)
    .order_by(Line.id)
)


def lock_to_offer(listing_id: int, proposer_id: int) -> tuple[Offered, Trader, Between]:
    """Lock a listing, then who offers for it, and read what stands between the two.

    What is read beside a lock may be older than it, so all else is read afterwards.
    """
    of: dict[str, Any] = {"listing_id": listing_id}
    found = prepared.in_session(_LOCKED, of)
    if not found:
        raise NotFound("この募集は見つかりません。")
    ((_, owner_id, state),) = found
    of |= {"owner_id": owner_id, "account_id": proposer_id}
    found, (row,), cards = prepared.together(
        (_LOCKED_PROPOSER, of), (_BETWEEN, of), (_LINES, of)
    )
    if not found:
        raise NotFound("そのアカウントは見つかりません。")
    proposer, lines = Trader(*found[0]), [OfferedLine(*card) for card in cards]
    listing = Offered(listing_id, owner_id, state, Trader(*row[:7]), lines)
    return listing, proposer, Between(*row[7:])
