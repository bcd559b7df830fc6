"""Read the own side of listings and trades; nothing that the partner wrote or gave."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import selectinload

from tradeboard.accounts.models import Account
from tradeboard.core import sealed
from tradeboard.core.db import db
from tradeboard.listings.models import Listing
from tradeboard.trades import queries as trade_queries
from tradeboard.trades.models import (
    Leg,
    Message,
    MessagePhoto,
    OfferVersion,
    PhoneSide,
    Proof,
    Trade,
    TradeEvent,
)

AT_ONCE = 100
CARD = ("name", "set_code", "condition", "language", "quantity")


def listings(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what the person posted and drafted, with the names of photo files."""
    own = select(Listing.id).where(Listing.owner_id == owner.id).order_by(Listing.id)
    parts = (selectinload(Listing.lines), selectinload(Listing.photos))
    for ids in _in_batches(own):
        found = select(Listing).where(Listing.id.in_(ids)).options(*parts)
        for row in db.session.scalars(found.order_by(Listing.id)):
            yield {
                "id": row.id,
                "state": row.state,
                "game": row.game,
                "note": row.note,
                "ships_from": row.ships_from,
                "ships_to": row.ships_to,
                "created_at": row.created_at,
                "posted_at": row.posted_at,
                "expires_at": row.expires_at,
                "cards": [
                    {"side": line.side, "rarity": line.rarity} | _card(line)
                    for line in row.lines
                ],
                "photos": [photo.id for photo in row.photos],
                "captions": [photo.caption for photo in row.photos],
                "draft": row.form,
            }


def trades(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the person's own side of each trade."""
    own = or_(Trade.poster_id == owner.id, Trade.proposer_id == owner.id)
    ids_of_all = select(Trade.id).where(own).order_by(Trade.id)
    parts = (
        selectinload(Trade.legs),
        selectinload(Trade.offers).selectinload(OfferVersion.lines),
        selectinload(Trade.proposals),
        selectinload(Trade.events),
    )
    for ids in _in_batches(ids_of_all):
        found = select(Trade).where(Trade.id.in_(ids)).options(*parts)
        for row in db.session.scalars(found.order_by(Trade.id)):
            yield _trade(row, owner.id)


def messages(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what the person wrote to partners."""
    own = select(Message).where(Message.author_id == owner.id).order_by(Message.id)
    for row in db.session.scalars(own.execution_options(yield_per=AT_ONCE)):
        yield {
            "trade": row.trade_id,
            "sent_at": row.sent_at,
            "text": row.text,
            "phrase": row.phrase,
        }


def numbers(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the own numbers and addresses that are still kept, in clear."""
    own = select(PhoneSide).where(PhoneSide.account_id == owner.id)
    for side in db.session.scalars(own.order_by(PhoneSide.trade_id)):
        yield {
            "trade": side.trade_id,
            "sealed_at": side.sealed_at,
            "number": _opened(side, "number"),
            "address": _opened(side, "address"),
            "masked": side.number_masked,
        }


def proofs(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the own photos of parcels and in messages, with the names of files."""
    own = (
        select(Proof, Leg.trade_id)
        .join(Leg, Leg.id == Proof.leg_id)
        .where(Proof.by_id == owner.id)
    )
    for proof, trade_id in db.session.execute(own.order_by(Proof.added_at)):
        yield {
            "photo": proof.id,
            "trade": trade_id,
            "purpose": proof.purpose,
            "added_at": proof.added_at,
        }
    sent = (
        select(MessagePhoto, Message.trade_id)
        .join(Message, Message.id == MessagePhoto.message_id)
        .where(MessagePhoto.by_id == owner.id)
    )
    for photo, trade_id in db.session.execute(sent.order_by(MessagePhoto.added_at)):
        yield {
            "photo": photo.id,
            "trade": trade_id,
            "purpose": "message",
            "added_at": photo.added_at,
        }


def _trade(row: Trade, owner_id: int) -> dict[str, Any]:
    side = row.party_of(owner_id)
    return {
        "id": row.id,
        "listing": row.listing_id,
        "side": side,
        "state": row.state,
        "started_at": row.started_at,
        "agreed_at": row.agreed_at,
        "call_confirmed_at": row.phone_confirmed_at,
        "due_at": row.due_at,
        "ended_at": row.ended_at,
        "gives": [
            _card(line)
            for line in (row.offers[-1].lines if row.offers else ())
            if line.giver is side
        ],
        "offers": [
            {"number": offer.number, "made_at": offer.made_at, "note": offer.note}
            for offer in row.offers
            if offer.by_id == owner_id
        ],
        "sent": [_sent(leg) for leg in row.legs if leg.sender_id == owner_id],
        "received": [_got(leg) for leg in row.legs if leg.recipient_id == owner_id],
        "proposals": [
            {
                "kind": proposal.kind,
                "words": proposal.words,
                "made_at": proposal.made_at,
                "answer": proposal.answer,
            }
            for proposal in row.proposals
            if proposal.by_id == owner_id
        ],
        "steps": [_step(e) for e in row.events if e.actor_id == owner_id],
    }


def _sent(leg: Leg) -> dict[str, Any]:
    names = (
        "state carrier tracking dispatched_at contested_at delivered_on withheld_at"
        " defaulted_at finding excused_at"
    )
    return {name: getattr(leg, name) for name in names.split()}


def _got(leg: Leg) -> dict[str, Any]:
    names = "arrived_on received_at condition differs_words solved_at"
    return {name: getattr(leg, name) for name in names.split()}


def _step(event: TradeEvent) -> dict[str, Any]:
    return {"at": event.at, "step": event.event}


def _card(line) -> dict[str, Any]:
    return {name: getattr(line, name) for name in CARD}


def _opened(side: PhoneSide, column: str) -> str | None:
    value = getattr(side, column)
    if value is None:
        return None
    cell = trade_queries.phone_cell(side)
    return sealed.unseal(value, cell=f"{cell}.{column}")


def _in_batches(ids) -> Iterator[list[int]]:
    found = db.session.scalars(ids).all()
    for begin in range(0, len(found), AT_ONCE):
        yield list(found[begin : begin + AT_ONCE])
