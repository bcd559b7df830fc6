"""Make a listing, a trade after its call, and what was sent: ready to go on."""

from datetime import timedelta

from tests.factories import MONDAY, in_transaction
from tradeboard.core import keyring, sealed
from tradeboard.core.db import db
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import ListingState, Side
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, OfferLine, OfferVersion, PhoneSide, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import Party, TradeState
from tradeboard.trades.services import shipping

TRACKED = "4444-1375-8703"
A_DAY = timedelta(days=1)
CARD = "蒼天の竜"
OTHER_CARD = "紅蓮の騎士"


def make_listing(owner, *, at=MONDAY, quantity=1, state=ListingState.OPEN, **columns):
    """Make a listing of one card that is offered for another."""
    with in_transaction():
        listing = Listing(
            owner_id=owner.id,
            state=state,
            game="星霜のカード",
            terms_number=1,
            created_at=at,
            changed_at=at,
            posted_at=at,
            expires_at=at + timedelta(days=30),
            lines=[
                line(Side.HAVE, CARD, quantity),
                line(Side.WANT, OTHER_CARD, quantity),
            ],
            **columns,
        )
        db.session.add(listing)
    return listing


def line(side, name, quantity):
    """Return a card of a listing."""
    return Line(side=side, name=name, condition="A", quantity=quantity, free=quantity)


def make_trade(
    poster, proposer, *, sent_by=(), at=MONDAY, tracking=None, quantity=1, **columns
):
    """Make a trade whose call is confirmed; those in `sent_by` dispatch at `at`.

    It was agreed two days before and the call was a day before. With `tracking` the
    parcels go by Yamato, without by a way that has no number. `columns` are the
    trade's own.
    """
    listing = make_listing(poster, at=at - 3 * A_DAY, quantity=quantity)
    listing_id = listing.id
    with in_transaction():
        listing = db.session.get_one(Listing, listing_id)
        card = _reserve(listing_id, quantity)
        if not card.free:
            listing.state = ListingState.RESERVED
        columns = _instants(at) | columns
        trade = Trade(
            listing_id=listing_id,
            poster_id=poster.id,
            proposer_id=proposer.id,
            state=TradeState.PHONE_CONFIRMED,
            offer_number=1,
            terms_number=1,
            legs=_legs(poster.id, proposer.id),
            offers=[_offer(card, proposer.id, at - 3 * A_DAY)],
            **columns,
        )
        db.session.add(trade)
        db.session.flush()
        for number, person in enumerate((poster, proposer)):
            db.session.add(_phone(trade, person.id, f"+81901234000{number}", at))
        trade_id = trade.id
    for person in sent_by:
        dispatch(trade_id, person, at=at, tracking=tracking)
    return queries.get_trade(trade_id)


def leg_from(trade, sender):
    """Return the parcel that somebody sends."""
    return trade.leg_from(sender.id)


def dispatch(trade_id, sender, *, at=MONDAY, tracking=None):
    """Let somebody send the own parcel, in a transaction of its own."""
    with in_transaction():
        leg = queries.get_trade(trade_id).leg_from(sender.id)
        shipping.dispatch(
            leg.id,
            carrier="yamato" if tracking else shipping.NO_TRACKING,
            tracking=tracking or "",
            by=sender,
            now=at,
        )


def _reserve(listing_id, quantity):
    card = db.session.query(Line).filter_by(listing_id=listing_id, side=Side.HAVE).one()
    card.free -= quantity
    return card


def _instants(at):
    return {
        "started_at": at - 3 * A_DAY,
        "agreed_at": at - 2 * A_DAY,
        "phone_confirmed_at": at - A_DAY,
        "dispatch_by": at - A_DAY + clock.TO_DISPATCH,
        "revealed_at": at - A_DAY,
        "moved_at": at - A_DAY,
    }


def _legs(poster_id, proposer_id):
    return [
        Leg(sender_id=poster_id, recipient_id=proposer_id),
        Leg(sender_id=proposer_id, recipient_id=poster_id),
    ]


def _offer(card, proposer_id, at):
    lines = [
        OfferLine(
            giver=Party.POSTER,
            line_id=card.id,
            name=CARD,
            condition="A",
            quantity=card.quantity,
        ),
        OfferLine(giver=Party.PROPOSER, name=OTHER_CARD, condition="A", quantity=1),
    ]
    return OfferVersion(number=1, by_id=proposer_id, made_at=at, lines=lines)


def _phone(trade, account_id, number, at):
    side = PhoneSide(trade_id=trade.id, account_id=account_id)
    cell = queries.phone_cell(side)
    side.number = sealed.seal(number, cell=f"{cell}.number")
    side.address = sealed.seal("東京都千代田区一丁目一番", cell=f"{cell}.address")
    side.number_hash = keyring.mac_hex("phone", number)
    side.number_kid = keyring.ring().kid("phone")
    side.number_masked, side.number_code = "090-****-0000", "JP"
    side.sealed_at, side.words_right_at = at - 2 * A_DAY, at - A_DAY
    return side
