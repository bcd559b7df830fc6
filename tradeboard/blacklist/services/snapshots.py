"""What was known of a parcel and its sender, fixed at the moment of an entry."""

import hashlib
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Device
from tradeboard.blacklist import queries
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Leg, Trade


def devices_in(trade: Trade, account_id: int) -> list[Device]:
    """Return the devices used between the agreement and the due instant."""
    span = _span(trade)
    if span is None:
        return []
    since, until = span
    return list(accounts.devices_used(account_id, since=since, until=until))


def devices_of(legs: Iterable[Leg]) -> dict[int, list[Device]]:
    """Return the devices that the sender of each parcel used, by parcel."""
    return accounts.devices_used_in(
        {
            leg.id: accounts.Span(leg.sender_id, *span)
            for leg in legs
            if (span := _span(leg.trade)) is not None
        }
    )


def phones_in(trade: Trade, account_id: int) -> list[dict[str, str]]:
    """Return the keyed hash of the number that a side sealed, with its key id."""
    return [
        {"hash": side.number_hash, "kid": side.number_kid or ""}
        for side in trade.phones
        if side.account_id == account_id and side.number_hash
    ]


def facts_of(leg: Leg) -> dict[str, Any]:
    """Return what was known of a parcel, fixed at this moment."""
    return facts_of_all([leg])[leg.id]


def facts_of_all(legs: Collection[Leg]) -> dict[int, dict[str, Any]]:
    """Return what was known of parcels, by parcel, in two statements."""
    digests = _digests({leg.trade_id for leg in legs})
    sent = queries.notices_sent({leg.sender_id for leg in legs})
    found = {}
    for leg in legs:
        both = [sent.get((one.id, leg.sender_id), set()) for one in leg.trade.legs]
        facts = _facts(leg)
        facts["messages"] = digests[leg.trade_id]
        facts["notices"] = sorted(set().union(*both))
        found[leg.id] = facts
    return found


def _facts(leg: Leg) -> dict[str, Any]:
    trade = leg.trade
    offer = trades.newest_offer(trade)
    party = trade.party_of(leg.sender_id)
    return {
        "terms": trade.terms_number,
        "offer": offer.number,
        "contents": [
            {"name": line.name, "quantity": line.quantity}
            for line in offer.lines
            if line.giver is party
        ],
        "agreed_at": _text(trade.agreed_at),
        "phone_confirmed_at": _text(trade.phone_confirmed_at),
        "first_dispatched_at": _text(trade.first_dispatched_at),
        "due_at": _text(trade.due_at),
        "extensions": trade.extensions,
        "carrier": leg.carrier,
        "tracking": leg.tracking,
        "dispatched_at": _text(leg.dispatched_at),
        "contested_at": _text(leg.contested_at),
        "delivered_on": leg.delivered_on and leg.delivered_on.isoformat(),
        "withheld_at": _text(leg.withheld_at),
    }


def _digests(trade_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """Count the messages of trades and fix their text, without keeping it."""
    digests = {trade_id: hashlib.sha256() for trade_id in trade_ids}
    counts = dict.fromkeys(trade_ids, 0)
    for row in queries.all_messages(trade_ids):
        line = f"{row.author_id}\0{row.sent_at.isoformat()}\0{row.text}\0"
        digests[row.trade_id].update(line.encode())
        counts[row.trade_id] += 1
    return {
        trade_id: {"count": counts[trade_id], "sha256": digest.hexdigest()}
        for trade_id, digest in digests.items()
    }


def _span(trade: Trade) -> tuple[datetime, datetime] | None:
    """Return the time between the agreement and the due instant."""
    if trade.agreed_at is None or trade.due_at is None:
        return None
    return trade.agreed_at, trade.due_at


def _text(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant is not None else None
