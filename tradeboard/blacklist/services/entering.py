"""Make an entry, change what the public sees of it, end it."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert

from tradeboard.accounts.models import Account, Device
from tradeboard.accounts.services import holds, standing
from tradeboard.accounts.services.standing import Bar
from tradeboard.audit.services import record as audit
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Decision, Entry, EntryDevice
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.blacklist.services import closing, feed, watches
from tradeboard.blacklist.services.watches import cause
from tradeboard.core.db import connection, db
from tradeboard.core.records import dataclass
from tradeboard.core.states import advance
from tradeboard.core.together import write_together
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding

PUBLISHED = {"list": ChangeType.LISTED, "uphold": ChangeType.UPHELD}
ENDED = {"lift": ChangeType.LIFTED, "expire": ChangeType.EXPIRED}

USUAL_STEP = 300

_random = secrets.SystemRandom()
_DEVICES = insert(EntryDevice.__table__)


@dataclass(frozen=True)
class Case:
    """A person to be entered, and all that is known at that moment."""

    person: Account
    trade: Trade | None
    finding: Finding
    state: EntryState
    devices: list[Device]
    phones: list[dict[str, str]]
    facts: dict[str, Any]


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
    case = Case(person, trade, finding, state, devices, phones, facts)
    return enter_all([case], by_id, now=now)[0]


def enter_all(
    cases: Sequence[Case], by_id: int | None, *, now: datetime
) -> list[Entry]:
    """Enter people, in as many statements as one person takes."""
    if not cases:
        return []
    # Locked and read anew: a mailbox must not change between here and the watch.
    people = standing.lock(case.person.id for case in cases)
    public = list(queries.public_entries_of(*people))
    entries = _entries(cases, now)
    db.session.add_all(entries)
    listed = [
        (entry, case)
        for entry, case in zip(entries, cases, strict=True)
        if entry.is_public
    ]
    _renew(public + [entry for entry, _ in listed])
    _name_devices(zip(entries, cases, strict=True))
    watches.watch_new(
        [(entry, case.devices, case.trade) for entry, case in listed], people, now=now
    )
    for entry, _ in listed:
        feed.tell(entry, ChangeType.LISTED, now=now)
    restrict(*entries, by_id=by_id, now=now)
    for entry in entries:
        finding = entry.finding.value
        write_down("enter", entry, by_id=by_id, now=now, finding=finding)
    return entries


def _name_devices(made: Iterable[tuple[Entry, Case]]) -> None:
    """Write down which devices belong to new entries, in one statement."""
    rows = [
        {"entry_id": entry.id, "device_id": device.id, "code": device.code}
        for entry, case in made
        for device in case.devices
    ]
    at_hand = connection()
    if rows:
        at_hand.execute(_DEVICES, rows)


def _entries(cases: Sequence[Case], now: datetime) -> list[Entry]:
    """Make entries with numbers after all others, at distances nobody can foresee.

    If they were counted, a gap in the public ones would tell of a held one between
    them. No distance is so long that it must hide another entry.
    """
    entries, number = [], queries.newest_number()
    for case in cases:
        number += 1 + int(_random.expovariate(1 / USUAL_STEP))
        entries.append(_entry(number, case, now))
    return entries


def _entry(number: int, case: Case, now: datetime) -> Entry:
    person, trade, state = case.person, case.trade, case.state
    held = state is EntryState.HELD
    return Entry(
        id=number,
        trade_id=trade.id if trade is not None else None,
        account_id=person.id,
        handle=person.handle,
        finding=case.finding,
        state=state,
        due_at=trade.due_at if trade is not None else None,
        entered_at=now,
        listed_at=None if held else now,
        list_at=rules.list_at(case.finding, now) if held else None,
        undecided_at=rules.undecided_at(state, now),
        review_by=rules.review_by(state, case.finding, now),
        email_hash=person.email_key,
        email_kid=person.email_kid,
        phone_hashes=case.phones,
        facts=case.facts,
        decisions=[],
        evidence=[],
    )


def restrict(*entries: Entry, by_id: int | None, now: datetime) -> None:
    """Bar people as far as these entries do; what other causes bar stays."""
    bars = [
        Bar(
            entry.account_id,
            cause(entry),
            weight,
            rules.restricts_until(entry.state, entry.finding, entry.entered_at),
        )
        for entry in entries
        if (weight := rules.restriction(entry.state, entry.finding)) is not None
    ]
    if bars:
        standing.restrict_all(bars, by_id=by_id, now=now)


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
        trade = _trade_of(entry)
        watches.watch(entry, _devices_of(entry), trade, now=now)
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


def renew_ends(account_id: int) -> None:
    """Let every public entry of a person end when their number says."""
    _renew(queries.public_entries_of(account_id))


def _renew(public: Iterable[Entry]) -> None:
    of_each = defaultdict(list)
    for entry in public:
        of_each[entry.account_id].append(entry)
    for entries in of_each.values():
        for entry in entries:
            since = entry.upheld_at or entry.listed_at
            assert since is not None
            entry.expires_at = rules.expires_at(since, len(entries))
    write_together(entry for entries in of_each.values() for entry in entries)


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
