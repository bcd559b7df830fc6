"""Read trades for pages: whole, with a fixed number of statements."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Integer, bindparam, or_, select
from sqlalchemy.orm import joinedload, selectinload, subqueryload

from tradeboard.accounts.models import Account
from tradeboard.core import prepared
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.listings import queries as listings
from tradeboard.listings.models import Listing, Photo
from tradeboard.trades.models import Leg, OfferVersion, PhoneSide, Proof, Trade
from tradeboard.trades.queries.contents import newest_offer
from tradeboard.trades.rules import next_step, phrases
from tradeboard.trades.rules.next_step import Asked, Facts, Parcel
from tradeboard.trades.rules.states import RUNNING, Condition, Party

_PEOPLE = (joinedload(Trade.poster), joinedload(Trade.proposer))
_CONTENTS = (
    selectinload(Trade.offers).selectinload(OfferVersion.lines),
    joinedload(Trade.listing).selectinload(Listing.photos),
)
_STEPS = (
    selectinload(Trade.legs),
    selectinload(Trade.phones),
    selectinload(Trade.proposals),
)
# Two of each at most: cheaper beside the trade than in statements of their own.
_STEPS_BESIDE = (
    joinedload(Trade.legs),
    joinedload(Trade.phones),
    selectinload(Trade.proposals),
)
_HISTORY = (
    joinedload(Trade.legs).selectinload(Leg.proofs),
    selectinload(Trade.events),
)

# Asked on every page, hence put together once.
_MEMBER = bindparam("account_id", type_=Integer)
_RUNNING_BARE = (
    select(Trade)
    .where(or_(Trade.poster_id == _MEMBER, Trade.proposer_id == _MEMBER))
    .where(Trade.state.in_(sorted(RUNNING)))
    .order_by(Trade.id)
)
_RUNNING = _RUNNING_BARE.options(*_STEPS_BESIDE)
# However many run, each is one statement; others are asked for by the five hundred.
_RUNNING_WHOLE = _RUNNING_BARE.options(
    *_PEOPLE,
    joinedload(Trade.legs),
    joinedload(Trade.phones),
    subqueryload(Trade.proposals),
    subqueryload(Trade.offers).subqueryload(OfferVersion.lines),
    joinedload(Trade.listing).subqueryload(Listing.photos),
)
_WHOLE = (
    select(Trade)
    .options(*_PEOPLE, *_CONTENTS, *_STEPS_BESIDE, *_HISTORY)
    .where(Trade.id == bindparam("trade_id", type_=Integer))
)
_ROOM = _WHOLE.where(or_(Trade.poster_id == _MEMBER, Trade.proposer_id == _MEMBER))

_LAST_CARRIER = (
    select(Leg.carrier)
    .where(Leg.sender_id == _MEMBER, Leg.dispatched_at.is_not(None))
    .order_by(Leg.dispatched_at.desc(), Leg.id.desc())
    .limit(1)
)


def load_room(account_id: int, trade_id: int) -> Trade:
    """Return a trade with all that its page shows, to one of the two."""
    return _found(_ROOM, account_id=account_id, trade_id=trade_id)


def load_for_staff(trade_id: int) -> Trade:
    """Return a trade with all that a moderator's page shows."""
    return _found(_WHOLE, trade_id=trade_id)


def list_own(
    account_id: int, *, before: int | None = None, limit: int = 25
) -> Sequence[Trade]:
    """Return a person's trades for a list, newest first, or those before an id."""
    own = or_(Trade.poster_id == account_id, Trade.proposer_id == account_id)
    found = select(Trade).options(*_PEOPLE, *_CONTENTS, *_STEPS).where(own)
    if before is not None:
        found = found.where(Trade.id < before)
    return db.session.scalars(found.order_by(Trade.id.desc()).limit(limit)).all()


def running_of(account_id: int, *, whole: bool = False) -> Sequence[Trade]:
    """Return a person's running trades; `whole` for a list that names them."""
    found = _RUNNING_WHOLE if whole else _RUNNING
    return db.session.scalars(found, {"account_id": account_id}).unique().all()


def facts_of(trade: Trade, account_id: int, now: datetime) -> Facts:
    """Return a trade as one of the two sees it, for the rule of the next step."""
    own, partner = _sides(trade, account_id)
    out, back = _parcels(trade, account_id)
    return Facts(
        state=trade.state,
        now=now,
        my_turn=trade.turn is trade.party_of(account_id),
        answer_by=trade.answer_by,
        call_by=trade.call_by,
        dispatch_by=trade.dispatch_by,
        due_at=trade.due_at,
        sealed=own is not None and own.sealed_at is not None,
        partner_sealed=partner is not None and partner.sealed_at is not None,
        words_right=own is not None and own.words_right_at is not None,
        call_closed=trade.call_closed_at is not None,
        out=out,
        back=back,
        asked=tuple(
            Asked(proposal.kind, proposal.silent_until)
            for proposal in trade.proposals
            if proposal.answered_at is None and proposal.by_id != account_id
        ),
    )


def step_of(trade: Trade, account_id: int, now: datetime) -> next_step.Step:
    """Return what comes next for one of the two."""
    return next_step.next_step(facts_of(trade, account_id, now))


def badge_of(trade: Trade, account_id: int, now: datetime) -> str:
    """Return the word under which a trade's badge is found."""
    facts = facts_of(trade, account_id, now)
    if facts.my_turn:
        return "your_turn"
    if next_step.is_due_soon(facts):
        return "due_soon"
    return str(trade.state)


def side_of(trade: Trade, account_id: int) -> PhoneSide | None:
    """Return one side of the call, once there is one."""
    return _sides(trade, account_id)[0]


def given(trade: Trade, party: Party) -> list:
    """Return what a side gives in the newest version."""
    return [line for line in newest_offer(trade).lines if line.giver == party]


def front_photo(trade: Trade, viewer: Account) -> Photo | None:
    """Return the first photo of the listing, if this person may still see it."""
    photos = trade.listing.photos
    if not photos or not listings.is_visible(trade.listing, viewer):
        return None
    return photos[0]


def last_carrier(account_id: int) -> str | None:
    """Return by which carrier a person sent the last parcel."""
    found = prepared.alone(_LAST_CARRIER, {"account_id": account_id})
    return found[0][0] if found else None


def get_proof(proof_id: str) -> Proof:
    """Return a proof's row or raise NotFound."""
    return _found(select(Proof).where(Proof.id == proof_id))


def phrases_for(trade: Trade, account_id: int, now: datetime) -> tuple[str, ...]:
    """Return the codes of the ready sentences that one of the two may send now."""
    facts = facts_of(trade, account_id, now)
    return phrases.offered(trade.state, facts.out, facts.back)


def _found(query, **sought):
    row = db.session.scalars(query, sought).unique().one_or_none()
    if row is None:
        raise NotFound("取引が見つかりません。")
    return row


def _sides(trade, account_id):
    own = partner = None
    for side in trade.phones:
        if side.account_id == account_id:
            own = side
        else:
            partner = side
    return own, partner


def _parcels(trade, account_id):
    out = back = Parcel()
    for leg in trade.legs:
        differs = leg.condition is Condition.DIFFERS and leg.solved_at is None
        parcel = Parcel(leg.state, leg.withheld_at is not None, differs)
        if leg.sender_id == account_id:
            out = parcel
        else:
            back = parcel
    return out, back
