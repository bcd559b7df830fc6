"""What moderators see: the queue, and one entry with both sides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import case, func, select, tuple_
from sqlalchemy.orm import selectinload

from tradeboard.accounts.models import Account, Device, DeviceUse
from tradeboard.blacklist.models import Decision, Entry, Evidence
from tradeboard.blacklist.queries.entries import _found
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core.db import db
from tradeboard.core.paging import PAGE_SIZE, Cursor
from tradeboard.terms.models import TermsVersion
from tradeboard.trades.models import Leg, Message, OfferVersion, Trade

MOST_MESSAGES = 50


@dataclass(frozen=True)
class Waiting:
    """How much waits for a moderator, and how much has waited too long."""

    all: int = 0
    red: int = 0
    listed: int = 0
    held: int = 0


@dataclass(frozen=True)
class Seen:
    """A device of a person in that time, and who else wrote from it."""

    code: str
    shared: bool
    others: list[Account] = field(default_factory=list)


@dataclass(frozen=True)
class Side:
    """One of the two: the own parcel, the entry if there is one, what was said."""

    person: Account
    leg: Leg | None
    entry: Entry | None
    messages: list[Message]
    devices: list[Seen]

    @property
    def last_message(self) -> Message | None:
        """Return what this side wrote last before the due instant."""
        return self.messages[-1] if self.messages else None


@dataclass(frozen=True)
class Dossier:
    """An entry with all that a moderator needs before deciding."""

    entry: Entry
    trade: Trade | None
    terms: TermsVersion | None
    sides: list[Side]

    @property
    def linked(self) -> Entry | None:
        """Return the entry of the other leg, which must be seen first."""
        others = [side.entry for side in self.sides if side.entry is not None]
        return next((e for e in others if e.id != self.entry.id), None)


def review_queue(
    state: EntryState | None = None,
    after: Cursor | None = None,
    *,
    size: int = PAGE_SIZE,
) -> Sequence[Entry]:
    """Return what waits, the reddest first, one more than a page if there is more."""
    waiting = select(Entry).where(Entry.review_by.is_not(None))
    if state is not None:
        waiting = waiting.where(Entry.state == state)
    if after is not None:
        waiting = waiting.where(
            tuple_(Entry.review_by, Entry.id) > (after.at, after.id)
        )
    return db.session.scalars(
        waiting.order_by(Entry.review_by, Entry.id)
        .options(selectinload(Entry.account), selectinload(Entry.evidence))
        .limit(size + 1)
    ).all()


def count_waiting(now: datetime) -> Waiting:
    """Count what waits for a moderator."""
    is_red = case((Entry.review_by <= now, 1))
    rows = db.session.execute(
        select(
            Entry.state,
            func.count(Entry.id).label("n"),
            func.count(is_red).label("red"),
        )
        .where(Entry.review_by.is_not(None))
        .group_by(Entry.state)
    ).all()
    waiting = {row.state: row.n for row in rows}
    return Waiting(
        all=sum(row.n for row in rows),
        red=sum(row.red for row in rows),
        listed=waiting.get(EntryState.LISTED, 0),
        held=waiting.get(EntryState.HELD, 0),
    )


def entry_for_review(entry_id: int) -> Dossier:
    """Return an entry with both sides of its trade beside each other."""
    found = select(Entry).where(Entry.id == entry_id)
    entry = _found(db.session.scalar(found.options(*_of_entry())))
    if entry.trade_id is None:
        side = Side(entry.account, None, entry, [], _devices_on(entry))
        return Dossier(entry, None, None, [side])
    trade = db.session.scalars(
        select(Trade).where(Trade.id == entry.trade_id).options(*_of_trade())
    ).one()
    own = trade.leg_from(entry.account_id)
    other = trade.leg_from(own.recipient_id)
    sides = [_side(trade, leg) for leg in (own, other)]
    terms = db.session.get(TermsVersion, trade.terms_number)
    return Dossier(entry, trade, terms, sides)


def _of_entry():
    return (
        selectinload(Entry.account),
        selectinload(Entry.devices),
        selectinload(Entry.decisions).selectinload(Decision.by),
        selectinload(Entry.evidence).selectinload(Evidence.by),
    )


def _of_trade():
    return (
        selectinload(Trade.poster),
        selectinload(Trade.proposer),
        selectinload(Trade.legs).selectinload(Leg.proofs),
        selectinload(Trade.legs).selectinload(Leg.sender),
        selectinload(Trade.legs).selectinload(Leg.recipient),
        selectinload(Trade.offers).selectinload(OfferVersion.lines),
    )


def _side(trade: Trade, leg: Leg) -> Side:
    entry = db.session.scalar(
        select(Entry)
        .where(Entry.trade_id == trade.id, Entry.account_id == leg.sender_id)
        .options(*_of_entry())
    )
    return Side(
        person=leg.sender,
        leg=leg,
        entry=entry,
        messages=_messages(trade, leg.sender_id),
        devices=_devices_between(trade, leg.sender_id),
    )


def _messages(trade: Trade, author_id: int) -> list[Message]:
    """Return what one side wrote, the newest of it, in the order of writing."""
    found = select(Message).where(
        Message.trade_id == trade.id, Message.author_id == author_id
    )
    if trade.due_at is not None:
        found = found.where(Message.sent_at < trade.due_at)
    newest = found.order_by(Message.id.desc()).limit(MOST_MESSAGES)
    return list(reversed(db.session.scalars(newest).all()))


def _devices_between(trade: Trade, account_id: int) -> list[Seen]:
    used = select(DeviceUse.device_id).where(
        DeviceUse.account_id == account_id,
        DeviceUse.used_at >= trade.agreed_at,
        DeviceUse.used_at <= (trade.due_at or trade.moved_at),
    )
    return _seen(Device.id.in_(used), account_id)


def _devices_on(entry: Entry) -> list[Seen]:
    ids = [device.device_id for device in entry.devices]
    return _seen(Device.id.in_(ids), entry.account_id)


def _seen(condition, account_id: int) -> list[Seen]:
    """Return devices with everybody else who wrote from them, in one statement."""
    rows = db.session.execute(
        select(Device.code, Device.shared, Account)
        .outerjoin(
            DeviceUse,
            (DeviceUse.device_id == Device.id) & (DeviceUse.account_id != account_id),
        )
        .outerjoin(Account, Account.id == DeviceUse.account_id)
        .where(condition)
        .order_by(Device.code, Account.id)
        .distinct()
    )
    found: dict[str, Seen] = {}
    for code, shared, other in rows:
        seen = found.setdefault(code, Seen(code, shared))
        if other is not None:
            seen.others.append(other)
    return list(found.values())
