"""Put on the list, or hold, whose parcel never came (B-05)."""

from collections.abc import Collection
from datetime import datetime

from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.services import entering, snapshots, telling
from tradeboard.blacklist.services.entering import Case
from tradeboard.trades.models import Leg
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.services import overdue
from tradeboard.trades.services.overdue import Defaulted

Missing = tuple[Leg, Finding]


def list_or_hold(trade_id: int, *, now: datetime) -> list[Entry]:
    """End a trade that fell due, and enter the sender of each missing parcel."""
    return _enter([overdue.default(trade_id, now=now)], now)[trade_id]


def list_or_hold_all(
    trade_ids: Collection[int], *, now: datetime
) -> dict[int, list[Entry]]:
    """End those trades that are still due, and return the entries of each.

    All of it or nothing happens, in as many statements as for one trade. What somebody
    else has in hand, or has ended meanwhile, is left out.
    """
    ended = overdue.default_all(trade_ids, now=now)
    return _enter(ended, now) if ended else {}


def _enter(ended: list[Defaulted], now: datetime) -> dict[int, list[Entry]]:
    found: dict[int, list[Entry]] = {one.trade.id: [] for one in ended}
    # One entry for each trade and party: whom a moderator listed has his already.
    known = queries.entered(found)
    new = [
        (leg, finding)
        for one in ended
        for leg, finding in one.missing
        if (leg.trade_id, leg.sender_id) not in known
    ]
    # Everybody locks people in the order of their ids.
    new.sort(key=lambda missing: (missing[0].sender_id, missing[0].trade_id))
    entries = entering.enter_all(_cases([leg for leg, _ in new], new), None, now=now)
    made = [(leg, entry) for (leg, _), entry in zip(new, entries, strict=True)]
    for leg, entry in made:
        found[leg.trade_id].append(entry)
    telling.tell_entered(made, now=now)
    return found


def _cases(legs: list[Leg], new: list[Missing]) -> list[Case]:
    if not legs:
        return []
    devices, facts = snapshots.devices_of(legs), snapshots.facts_of_all(legs)
    return [
        Case(
            leg.sender,
            leg.trade,
            finding,
            state=rules.first_state(finding),
            devices=devices.get(leg.id, []),
            phones=snapshots.phones_in(leg.trade, leg.sender_id),
            facts=facts[leg.id],
        )
        for leg, finding in new
    ]
