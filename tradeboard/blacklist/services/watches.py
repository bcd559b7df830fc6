"""Watch for whoever has a public entry: mailbox, number and browsers."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, Device
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import mailbox_of
from tradeboard.accounts.rules.holds import NoteKind, counts_until
from tradeboard.accounts.services import notes, watching
from tradeboard.accounts.services.watching import Signals
from tradeboard.blacklist.models import Entry
from tradeboard.trades.models import Trade


def cause(entry: Entry) -> str:
    """Name what an entry bars and watches for."""
    return f"entry:{entry.id}"


def watch(
    entry: Entry, devices: Iterable[Device], trade: Trade | None, *, now: datetime
) -> None:
    """Watch for the person of a public entry."""
    person = accounts.get_account(entry.account_id)
    watching.watch(
        entry.account_id, cause(entry), now=now, **_of(entry, devices, trade)
    )
    _find_again([person], now)


def watch_new(
    listed: Iterable[tuple[Entry, Iterable[Device], Trade | None]],
    people: Mapping[int, Account],
    *,
    now: datetime,
) -> None:
    """Watch for the people of entries that were made just now."""
    ids, rows = set(), []
    for entry, devices, trade in listed:
        watched = _of(entry, devices, trade)
        rows += watching.anew(entry.account_id, cause(entry), now=now, **watched)
        ids.add(entry.account_id)
    watching.begin_all(rows)
    if ids:
        _find_again([people[id] for id in sorted(ids)], now)


def _of(entry: Entry, devices: Iterable[Device], trade: Trade | None) -> Signals:
    """Return what an entry names; a number counts once its call has."""
    confirmed_at = trade.phone_confirmed_at if trade is not None else None
    assert entry.email_hash is not None
    assert entry.email_kid is not None
    phones = [
        (phone["hash"], phone["kid"], counts_until(confirmed_at))
        for phone in entry.phone_hashes
        if confirmed_at is not None
    ]
    mailbox = entry.email_hash, entry.email_kid
    return {"mailbox": mailbox, "phones": phones, "devices": devices}


def _find_again(people: list[Account], now: datetime) -> None:
    """Look for barred people under the mailboxes that they have moved to."""
    # Meanwhile a person may have moved to another mailbox.
    watching.follow_mailboxes(people, now=now)
    # Whoever left while an entry was held may have come back by the same mailbox.
    own = {person.id: mailbox_of(person.email_wire) for person in people}
    keys = {id: accounts.email_keys(box) for id, box in own.items() if box}
    holders = mailboxes.key_holders(set().union(*keys.values()))
    for account_id, mine in keys.items():
        others = [
            (confirmed_at, other_id)
            for key in mine
            for other_id, confirmed_at in holders.get(key, [])
            if other_id != account_id
        ]
        if others:
            _, other_id = min(others)
            notes.note(NoteKind.KEYS_MEET, other_id, other_id=account_id, now=now)
