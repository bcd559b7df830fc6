"""The list of a world: entries, what hangs on them, and the feed that tells of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from sqlalchemy import update

from bench import trading
from bench.board import LINES_A_LISTING
from bench.bulk import Bulk
from bench.people import Keys, Person
from bench.world import DAY_S, EXPIRED_TO, KINDS, TWO_WEEKS_S, World
from tradeboard.accounts.models import Restriction, Watch
from tradeboard.accounts.rules.holds import Signal, counts_until
from tradeboard.accounts.rules.standing import Standing
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Change, Decision, Entry, EntryDevice, FeedHead
from tradeboard.blacklist.queries.public import PublicEntry
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import EntryState, LiftReason, UpholdReason
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.core.db import db
from tradeboard.trades.rules.findings import Finding

PUBLIC_EACH = 2  # So many entries of each listed person are public, the newest.
STEP = 311  # Numbers of entries are not counted one by one.
SINCE = timedelta(days=690)
REVIEWED_AFTER = timedelta(days=3)
ENDED_AFTER = timedelta(days=30)
TABLES = db.metadata.tables
MODELS = (Entry, EntryDevice, Restriction, Watch, Decision, Change)
FILLED = tuple(TABLES[model.__tablename__] for model in MODELS)


@dataclass(frozen=True)
class Listed:
    """One entry of a listed person, told by its place in time, from 0."""

    world: World
    place: int

    @property
    def id(self) -> int:
        """Return the number."""
        return (self.place + 1) * STEP

    @cached_property
    def person(self) -> Person:
        """Return whose it is."""
        return Person((self.place % self.world.listed + 1) * self.world.stride)

    @property
    def from_the_end(self) -> int:
        """Return how many entries of the same person are newer."""
        each = self.world.entries // self.world.listed
        return each - 1 - self.place // self.world.listed

    @property
    def is_public(self) -> bool:
        """Tell whether anybody may see it."""
        return self.from_the_end < PUBLIC_EACH

    @property
    def state(self) -> EntryState:
        """Return the state: the newest waits for review, the one before was upheld."""
        if self.is_public:
            return EntryState.UPHELD if self.from_the_end else EntryState.LISTED
        return EntryState.LIFTED if self.from_the_end % 2 else EntryState.EXPIRED

    @property
    def entered_at(self) -> datetime:
        """Return when it was entered."""
        return self.world.at - SINCE + SINCE * (self.place / self.world.entries)

    @property
    def upheld_at(self) -> datetime | None:
        """Return when a moderator stood behind it."""
        is_upheld = self.state is EntryState.UPHELD
        return self.entered_at + REVIEWED_AFTER if is_upheld else None

    @property
    def ended_at(self) -> datetime | None:
        """Return when it ended."""
        return None if self.is_public else self.entered_at + ENDED_AFTER

    @property
    def trade_id(self) -> int | None:
        """Return the trade that fell due; what a moderator listed has none here."""
        first = self.world.entries - PUBLIC_EACH * self.world.listed
        return self.world.size + 1 + self.place - first if self.is_public else None

    @property
    def finding(self) -> Finding:
        """Return what was found."""
        return Finding.NEVER_DISPATCHED if self.is_public else Finding.BY_HAND

    @property
    def expires_at(self) -> datetime | None:
        """Return when it will end by itself."""
        if not self.is_public:
            return None
        return rules.expires_at(self.upheld_at or self.entered_at, PUBLIC_EACH)

    @property
    def called_at(self) -> datetime:
        """Return when the two had spoken."""
        return self.entered_at - timedelta(days=15)


def all_of(world: World) -> list[Listed]:
    """Return every entry, oldest first."""
    return [Listed(world, place) for place in range(world.entries)]


def draft_trades(bulk: Bulk, world: World) -> None:
    """Lay out the trades that the public entries are about."""
    public = (one for one in all_of(world) if one.is_public)
    trading.add(bulk, (_trade(one, at) for at, one in enumerate(public)))


def _trade(one: Listed, at: int) -> dict[str, Any]:
    world = one.world
    listing = at % (world.size // KINDS) * KINDS + EXPIRED_TO + 1 + 1
    due = int(one.entered_at.timestamp())
    return {
        "id": one.trade_id,
        "listing_id": listing,
        "line_id": listing * LINES_A_LISTING,
        "asked": "蒼天の竜",
        "given": "紅蓮の騎士",
        "poster_id": world.free(at * 7907),
        "proposer_id": one.person.id,
        "stage": trading.OVER,
        "called_s": due - TWO_WEEKS_S - DAY_S,
        "sent_s": due - TWO_WEEKS_S,
        "due_s": due,
    }


def fill(bulk: Bulk, world: World, keys: Keys) -> None:
    """Write every entry, what it bars and watches for, and the feed."""
    every = all_of(world)
    public = [one for one in every if one.is_public]
    codes = {
        one.person.id: keys.device(one.person.device_id)[1]
        for one in public[: world.listed]
    }
    changes = list(_changes(every, codes))
    made = (
        (_entry(one, keys) for one in every),
        (_device(one, codes) for one in public),
        (_restriction(one) for one in every),
        (row for one in public for row in _watches(one, keys)),
        (_decision(one) for one in every if one.state is not EntryState.LISTED),
        changes,
    )
    for table, rows in zip(FILLED, made, strict=True):
        bulk.rows(table, rows)
    head = TABLES[FeedHead.__tablename__]
    bulk.connection.execute(update(head).values(seq=len(changes)))


def _entry(one: Listed, keys: Keys) -> dict[str, Any]:
    phone = {"hash": keys.phone(one.person.phone), "kid": keys.kid["phone"]}
    waits = one.state is EntryState.LISTED
    return {
        "id": one.id,
        "trade_id": one.trade_id,
        "account_id": one.person.id,
        "handle": one.person.handle,
        "finding": one.finding,
        "state": one.state,
        "due_at": one.entered_at if one.is_public else None,
        "entered_at": one.entered_at,
        "listed_at": one.entered_at,
        "upheld_at": one.upheld_at,
        "ended_at": one.ended_at,
        "expires_at": one.expires_at,
        "review_by": rules.review_by(one.state, one.finding, one.entered_at)
        if waits
        else None,
        "lift_reason": LiftReason.SETTLED if one.state is EntryState.LIFTED else None,
        "email_hash": keys.email(one.person.address) if one.is_public else None,
        "email_kid": keys.kid["email"] if one.is_public else None,
        "phone_hashes": [phone] if one.is_public else [],
        "facts": _facts(one) if one.is_public else {},
    }


def _facts(one: Listed) -> dict[str, Any]:
    return {
        "terms": 1,
        "offer": 1,
        "contents": [{"name": "紅蓮の騎士", "quantity": 1}],
        "phone_confirmed_at": one.called_at.isoformat(),
        "due_at": one.entered_at.isoformat(),
        "extensions": 0,
        "carrier": "",
        "tracking": "",
        "messages": {"count": 0, "sha256": ""},
    }


def _device(one: Listed, codes: dict[int, str]) -> dict[str, Any]:
    person = one.person.id
    return {"entry_id": one.id, "device_id": person, "code": codes[person]}


def _restriction(one: Listed) -> dict[str, Any]:
    return {
        "account_id": one.person.id,
        "cause": f"entry:{one.id}",
        "standing": Standing.LISTED,
        "since": one.entered_at,
        "ended_at": one.ended_at,
    }


def _watches(one: Listed, keys: Keys) -> Iterator[dict[str, Any]]:
    shared = {
        "account_id": one.person.id,
        "cause": f"entry:{one.id}",
        "since": one.entered_at,
    }
    mailbox, phone = keys.email(one.person.address), keys.phone(one.person.phone)
    until = counts_until(one.called_at)
    for signal, found, kid, device, ends in (
        (Signal.PHONE, phone, keys.kid["phone"], None, until),
        (Signal.MAILBOX, mailbox, keys.kid["email"], None, None),
        (Signal.DEVICE, None, None, one.person.id, None),
    ):
        yield shared | {
            "signal": signal,
            "hash": found,
            "kid": kid,
            "device_id": device,
            "until": ends,
        }


def _decision(one: Listed) -> dict[str, Any]:
    reasons = {
        EntryState.UPHELD: ("uphold", str(UpholdReason.RECORD)),
        EntryState.LIFTED: ("lift", str(LiftReason.SETTLED)),
        EntryState.EXPIRED: ("expire", "time"),
    }
    decision, reason = reasons[one.state]
    return {
        "entry_id": one.id,
        "at": one.upheld_at or one.ended_at,
        "decision": decision,
        "reason": reason,
    }


def as_shown(one: Listed, codes: dict[int, str]) -> PublicEntry:
    """Return a public entry as the board reads it from its rows."""
    return PublicEntry(
        id=one.id,
        account_id=one.person.id,
        handle=one.person.handle,
        devices=(codes[one.person.id],),
        finding=one.finding,
        listed_at=one.entered_at,
        reviewed=one.upheld_at is not None,
        count=PUBLIC_EACH,
        expires_at=one.expires_at,
    )


def _changes(every: list[Listed], codes: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Tell of each entry as it is now, the second time when it was upheld or ended."""
    endings = {
        EntryState.LIFTED: ChangeType.LIFTED,
        EntryState.EXPIRED: ChangeType.EXPIRED,
        EntryState.UPHELD: ChangeType.UPHELD,
    }
    seq = 0
    for one in every:
        body = {"id": one.id}
        if one.is_public:
            body = queries.entry_as_json(as_shown(one, codes))
        later = endings.get(one.state)
        at = one.upheld_at or one.ended_at or one.entered_at
        for type, when in ((ChangeType.LISTED, one.entered_at), (later, at)):
            if type is not None:
                seq += 1
                yield {
                    "seq": seq,
                    "at": when,
                    "type": type,
                    "entry_id": one.id,
                    "body": body,
                }
