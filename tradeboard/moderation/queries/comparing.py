"""What two accounts share and what sets them apart, in a fixed number of statements."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.orm import joinedload

from tradeboard.accounts.models import Account, DeviceUse, Hold
from tradeboard.blacklist.models import Entry
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.moderation.queries.holds import hold_for_desk
from tradeboard.moderation.queries.signals import (
    Phone,
    SharedDevice,
    SharedNumber,
    numbers_of,
    shared_devices,
    shared_numbers,
)
from tradeboard.moderation.rules import Answer, Wrote, have_own_numbers, together
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

MOST_USES = 1000
MOST_DECISIONS = 20


@dataclass(frozen=True)
class Between:
    """What the two have traded with each other."""

    agreed: int
    received: int
    last: datetime | None


@dataclass(frozen=True)
class Person:
    """One of the two, with the numbers of the own trades."""

    account: Account
    phones: list[Phone]

    @property
    def confirmed(self) -> list[Phone]:
        """Return the numbers that a call has confirmed."""
        return [phone for phone in self.phones if phone.confirmed_at is not None]


@dataclass(frozen=True)
class Comparison:
    """All that a moderator needs to decide about a pair."""

    hold: Hold
    held: Person
    barred: Person
    entry: Entry | None
    devices: list[SharedDevice]
    numbers: list[SharedNumber]
    between: Between
    met: list[datetime]
    earlier: Sequence[Hold]

    @property
    def people(self) -> tuple[Person, Person]:
        """Return both, the held one first."""
        return self.held, self.barred

    @cached_property
    def own_numbers(self) -> Answer:
        """Tell whether both confirmed numbers of their own."""
        one, other = (
            [phone.number for phone in person.confirmed] for person in self.people
        )
        return Answer.NO if self.numbers else have_own_numbers(one, other)

    @property
    def known_before(self) -> bool | None:
        """Tell whether the held one registered before the entry was due."""
        if self.entry is None:
            return None
        return self.hold.account.created_at < (
            self.entry.due_at or self.entry.entered_at
        )


def comparison(hold_id: int, now: datetime) -> Comparison:
    """Return both people of a match beside each other, or raise NotFound."""
    hold = hold_for_desk(hold_id)
    phones = numbers_of(hold.account_id, hold.other_id)
    ours, theirs = phones[hold.account_id], phones[hold.other_id]
    return Comparison(
        hold=hold,
        held=Person(hold.account, ours),
        barred=Person(hold.other, theirs),
        entry=_entry(hold.cause),
        devices=shared_devices(hold, now),
        numbers=shared_numbers(hold, ours, theirs),
        between=_between(hold.account_id, hold.other_id),
        met=together(_uses(hold.account_id), _uses(hold.other_id)),
        earlier=_earlier(hold),
    )


def _entry(cause: str) -> Entry | None:
    kind, _, number = cause.partition(":")
    entry_id = int(number) if kind == "entry" and number.isdecimal() else None
    return db.session.scalar(select(Entry).where(Entry.id == entry_id))


def _between(one_id: int, other_id: int) -> Between:
    pair = or_(
        and_(Trade.poster_id == one_id, Trade.proposer_id == other_id),
        and_(Trade.poster_id == other_id, Trade.proposer_id == one_id),
    )
    received = case((Trade.state == TradeState.RECEIVED, 1))
    agreed, done, last = db.session.execute(
        select(func.count(Trade.id), func.count(received), func.max(Trade.agreed_at))
        .where(pair, Trade.agreed_at.is_not(None))
        .select_from(Trade)
    ).one()
    return Between(agreed, done, last)


def _uses(account_id: int) -> list[Wrote]:
    rows = db.session.execute(
        select(DeviceUse.used_at, DeviceUse.device_id)
        .where(DeviceUse.account_id == account_id)
        .order_by(DeviceUse.used_at.desc())
        .limit(MOST_USES)
    )
    return [(row.used_at, row.device_id) for row in rows]


def _earlier(hold: Hold) -> Sequence[Hold]:
    """Return what became of other matches of either person."""
    pair = (hold.account_id, hold.other_id)
    return db.session.scalars(
        select(Hold)
        .where(
            Hold.id != hold.id,
            or_(Hold.account_id.in_(pair), Hold.other_id.in_(pair)),
            or_(Hold.decided_at.is_not(None), Hold.ended_at.is_not(None)),
        )
        .options(
            joinedload(Hold.account),
            joinedload(Hold.other),
            joinedload(Hold.decided_by),
        )
        .order_by(Hold.made_at.desc(), Hold.id.desc())
        .limit(MOST_DECISIONS)
    ).all()
