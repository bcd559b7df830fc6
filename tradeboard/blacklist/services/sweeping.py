"""Put on the list, or hold, whose parcel never came (B-05)."""

import hashlib
from datetime import datetime
from typing import Any

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Device
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import entering, telling
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.services import overdue


def list_or_hold(trade_id: int, *, now: datetime) -> list[Entry]:
    """End a trade that fell due, and enter the sender of each missing parcel."""
    missing = overdue.default(trade_id, now=now)
    # One entry for each trade and party: whom a moderator listed has his already.
    new = [
        (leg, finding)
        for leg, finding in missing
        if queries.find_entry(trade_id, leg.sender_id) is None
    ]
    # Everybody locks people in the order of their ids.
    in_order = sorted(new, key=lambda found: found[0].sender_id)
    return [_enter(leg, finding, now) for leg, finding in in_order]


def _enter(leg: Leg, finding: Finding, now: datetime) -> Entry:
    trade, sender = leg.trade, leg.sender
    entry = entering.enter(
        sender,
        trade,
        finding,
        state=rules.first_state(finding),
        devices=devices_in(trade, sender.id),
        phones=phones_in(trade, sender.id),
        facts=facts_of(leg),
        by_id=None,
        now=now,
    )
    if entry.state is EntryState.LISTED:
        telling.tell_listed(sender, entry, now=now)
    else:
        telling.tell_held(sender, entry, now=now)
    telling.tell_partner(leg, entry, now=now)
    return entry


def devices_in(trade: Trade, account_id: int) -> list[Device]:
    """Return the devices used between the agreement and the due instant."""
    if trade.agreed_at is None or trade.due_at is None:
        return []
    used = accounts.devices_used(account_id, since=trade.agreed_at, until=trade.due_at)
    return list(used)


def phones_in(trade: Trade, account_id: int) -> list[dict[str, str]]:
    """Return the keyed hash of the number that a side sealed, with its key id."""
    return [
        {"hash": side.number_hash, "kid": side.number_kid or ""}
        for side in trade.phones
        if side.account_id == account_id and side.number_hash
    ]


def facts_of(leg: Leg) -> dict[str, Any]:
    """Return what was known of a parcel, fixed at this moment."""
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
        "messages": _digest(trade.id),
        "notices": queries.notices_sent(trade, leg.sender_id),
    }


def _digest(trade_id: int) -> dict[str, Any]:
    """Count the messages and fix their text, without keeping it."""
    digest, count = hashlib.sha256(), 0
    for row in queries.all_messages(trade_id):
        line = f"{row.author_id}\0{row.sent_at.isoformat()}\0{row.text}\0"
        digest.update(line.encode())
        count += 1
    return {"count": count, "sha256": digest.hexdigest()}


def _text(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant is not None else None
