"""Make an entry, change what the public sees of it, end it."""

import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, Device
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import mailbox_of
from tradeboard.accounts.rules.holds import NoteKind, counts_until
from tradeboard.accounts.services import holds, notes, standing, watching
from tradeboard.audit.services import record as audit
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Decision, Entry, EntryDevice
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.blacklist.services import closing, feed
from tradeboard.core.db import db
from tradeboard.core.states import advance
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding

PUBLISHED = {"list": ChangeType.LISTED, "uphold": ChangeType.UPHELD}
ENDED = {"lift": ChangeType.LIFTED, "expire": ChangeType.EXPIRED}

USUAL_STEP = 300

_random = secrets.SystemRandom()


def enter(
    person: Account,
    trade: Trade | None,
    finding: Finding,
    *,
    state: EntryState,
    devices: list[Device],
    phones: list[dict[str, str]],
    facts: dict[str, Any],
    by_id: int | None,
    now: datetime,
) -> Entry:
    """Enter a person, bar him as far as the state does, and write it down."""
    # Locked and read anew: the mailbox must not change between here and the watch.
    standing.lock([person.id])
    held = state is EntryState.HELD
    entry = Entry(
        id=_next_number(),
        trade_id=trade.id if trade is not None else None,
        account_id=person.id,
        handle=person.handle,
        finding=finding,
        state=state,
        due_at=trade.due_at if trade is not None else None,
        entered_at=now,
        listed_at=None if held else now,
        list_at=rules.list_at(finding, now) if held else None,
        undecided_at=rules.undecided_at(state, now),
        review_by=rules.review_by(state, finding, now),
        email_hash=person.email_key,
        email_kid=person.email_kid,
        phone_hashes=phones,
        facts=facts,
        devices=[EntryDevice(device_id=d.id, code=d.code) for d in devices],
        decisions=[],
        evidence=[],
    )
    db.session.add(entry)
    db.session.flush()
    if entry.is_public:
        watch(entry, devices, trade, now=now)
        feed.tell(entry, ChangeType.LISTED, now=now)
    restrict(entry, by_id=by_id, now=now)
    renew_ends(entry.account_id)
    write_down("enter", entry, by_id=by_id, now=now, finding=finding.value)
    return entry


def _next_number() -> int:
    """Return a number after all others, at a distance that nobody can foresee.

    If they were counted, a gap in the public ones would tell of a held one between
    them. No distance is so long that it must hide another entry.
    """
    return queries.newest_number() + 1 + int(_random.expovariate(1 / USUAL_STEP))


def restrict(entry: Entry, *, by_id: int | None, now: datetime) -> None:
    """Bar the person as far as this entry does; what other causes bar stays."""
    weight = rules.restriction(entry.state, entry.finding)
    if weight is None:
        return
    standing.restrict(
        entry.account_id,
        cause(entry),
        weight,
        until=rules.restricts_until(entry.state, entry.finding, entry.entered_at),
        by_id=by_id,
        now=now,
    )


def publish(
    entry: Entry, event: str, *, by_id: int | None, reviewed: bool, now: datetime
) -> None:
    """Let an entry be public; `reviewed` tells that a moderator stands behind it."""
    was_public = entry.is_public
    entry.state = advance(rules.ENTRY, entry.state, event)
    entry.listed_at = entry.listed_at or now
    entry.list_at = entry.undecided_at = None
    if reviewed:
        entry.upheld_at, entry.review_by = now, None
    db.session.flush()
    if not was_public:
        watch(entry, _devices_of(entry), _trade_of(entry), now=now)
    restrict(entry, by_id=by_id, now=now)
    renew_ends(entry.account_id)
    feed.tell(entry, PUBLISHED[event], now=now)


def end(entry: Entry, event: str, *, by_id: int | None, now: datetime) -> None:
    """End an entry: nothing is barred by it any more, its identifiers are erased.

    Nobody is watched for it any more either, and whom it had held is free.
    """
    entry.state = advance(rules.ENTRY, entry.state, event)
    entry.ended_at = now
    entry.list_at = entry.undecided_at = entry.expires_at = entry.review_by = None
    entry.email_hash = entry.email_kid = None
    entry.phone_hashes = []
    for device in queries.devices_on(entry.id):
        db.session.delete(device)
    closing.end_with_entry(entry, now=now)
    holds.end_cause(entry.account_id, cause(entry), by_id=by_id, now=now)
    standing.release(entry.account_id, cause(entry), by_id=by_id, now=now)
    renew_ends(entry.account_id)
    feed.tell(entry, ENDED[event], now=now)


def watch(
    entry: Entry, devices: Iterable[Device], trade: Trade | None, *, now: datetime
) -> None:
    """Watch for the person of a public entry; a number counts once its call has."""
    confirmed_at = trade.phone_confirmed_at if trade is not None else None
    assert entry.email_hash is not None
    assert entry.email_kid is not None
    watching.watch(
        entry.account_id,
        cause(entry),
        mailbox=(entry.email_hash, entry.email_kid),
        phones=[
            (phone["hash"], phone["kid"], counts_until(confirmed_at))
            for phone in entry.phone_hashes
            if confirmed_at is not None
        ],
        devices=devices,
        now=now,
    )
    person = accounts.get_account(entry.account_id)
    # Meanwhile the person may have moved to another mailbox.
    watching.add_mailbox(person.id, person.email_key, person.email_kid, now=now)
    # Whoever left while the entry was held may have come back by the same mailbox.
    mailbox = mailbox_of(person.email_wire)
    keys = accounts.email_keys(mailbox) if mailbox else []
    if other := mailboxes.key_holder(keys, but=person.id):
        notes.note(NoteKind.KEYS_MEET, other.id, other_id=person.id, now=now)


def renew_ends(account_id: int) -> None:
    """Let every public entry of a person end when their number says."""
    public = queries.public_entries_of(account_id)
    for entry in public:
        since = entry.upheld_at or entry.listed_at
        assert since is not None
        entry.expires_at = rules.expires_at(since, len(public))


def decide(
    entry: Entry,
    decision: str,
    reason: str,
    *,
    by_id: int | None,
    now: datetime,
    sentence: str = "",
) -> None:
    """Keep what was decided, why and by whom; `by_id` is None when time decides."""
    db.session.add(
        Decision(
            entry_id=entry.id,
            by_id=by_id,
            at=now,
            decision=decision,
            reason=reason,
            sentence=sentence,
        )
    )
    write_down(decision, entry, by_id=by_id, now=now, reason=reason)


def write_down(
    action: str, entry: Entry, *, by_id: int | None, now: datetime, **codes: Any
) -> None:
    """Add a row to the audit log, last of all."""
    audit(
        f"{action} entry",
        f"entry:{entry.id}",
        by_id=by_id,
        now=now,
        state=entry.state.value,
        **codes,
    )


def _devices_of(entry: Entry) -> list[Device]:
    rows = queries.devices_on(entry.id)
    return [db.session.get_one(Device, row.device_id) for row in rows]


def _trade_of(entry: Entry) -> Trade | None:
    return db.session.get(Trade, entry.trade_id) if entry.trade_id else None


def cause(entry: Entry) -> str:
    """Name the restriction that belongs to an entry."""
    return f"entry:{entry.id}"
