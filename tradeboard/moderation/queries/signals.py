"""By what two accounts look like one: browsers and telephone numbers."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import and_, case, func, or_, select

from tradeboard.accounts.models import Device, DeviceUse, Hold, Watch
from tradeboard.accounts.rules import holds as rules
from tradeboard.accounts.rules.holds import Signal
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.moderation.rules import Number, Span, count_different, overlap
from tradeboard.trades.models import PhoneSide, Trade

MOST_DEVICES = 10
MOST_OTHERS = 500
MOST_NUMBERS = 50


@dataclass(frozen=True)
class Phone:
    """A number of somebody's trades: when it was sealed, and confirmed by a call."""

    number: Number
    span: Span
    confirmed_at: datetime | None


@dataclass(frozen=True)
class SharedNumber:
    """A number of both; the barred one's side may be known by its watch alone."""

    masked: str
    held: Phone
    barred: Phone | None
    barred_confirmed_at: datetime | None

    @property
    def overlap(self) -> tuple[datetime, datetime] | None:
        """Return in which time both sealed it."""
        return overlap(self.held.span, self.barred.span if self.barred else None)


@dataclass
class SharedDevice:
    """A browser of both, and how many others use it."""

    device: Device
    held: Span | None
    barred: Span | None
    others: int = 0
    other_numbers: int = 0
    recent_numbers: int = 0

    @property
    def overlap(self) -> tuple[datetime, datetime] | None:
        """Return in which time both wrote from it."""
        return overlap(self.held, self.barred)

    @property
    def may_be_shared(self) -> bool:
        """Tell whether to propose that people with numbers of their own share it."""
        enough = self.recent_numbers >= rules.SHARED_BY
        return enough and not self.device.shared


def shared_devices(hold: Hold, now: datetime) -> list[SharedDevice]:
    """Return the browsers from which both wrote, and the one that gave rise to this."""
    devices = _devices(hold)
    ids = [device.id for device in devices]
    pair = (hold.account_id, hold.other_id)
    spans = {
        (device_id, account_id): span
        for device_id, account_id, span in _spans(ids, of=pair)
    }
    others = _spans(ids, but=pair)
    people = {account_id for _, account_id, _ in others} | set(pair)
    numbers = _newest_numbers(people)
    users: dict[int, list[tuple[int, Span]]] = {device_id: [] for device_id in ids}
    for device_id, account_id, span in others:
        users[device_id].append((account_id, span))
    found = []
    for device in devices:
        own = [(person, spans.get((device.id, person))) for person in pair]
        here = users[device.id]
        recent = [
            person
            for person, span in (*own, *here)
            if span is not None and span.last >= now - rules.SHARED_WITHIN
        ]
        found.append(
            SharedDevice(
                device=device,
                held=own[0][1],
                barred=own[1][1],
                others=len(here),
                other_numbers=_different(numbers, (person for person, _ in here)),
                recent_numbers=_different(numbers, recent),
            )
        )
    return found


def _devices(hold: Hold) -> Sequence[Device]:
    ours, theirs = (
        select(DeviceUse.device_id).where(DeviceUse.account_id == person)
        for person in (hold.account_id, hold.other_id)
    )
    both = and_(Device.id.in_(ours), Device.id.in_(theirs))
    first = case((Device.id == hold.device_id, 0), else_=1)
    return db.session.scalars(
        select(Device)
        .where(or_(both, Device.id == hold.device_id))
        .order_by(first, Device.last_seen.desc(), Device.id)
        .limit(MOST_DEVICES)
    ).all()


def _spans(
    device_ids: Sequence[int],
    *,
    of: Sequence[int] | None = None,
    but: Sequence[int] = (),
) -> list[tuple[int, int, Span]]:
    """Sum up who used devices when, the newest first: some people, or all others."""
    last = func.max(DeviceUse.used_at)
    who = DeviceUse.account_id.in_(of) if of else DeviceUse.account_id.not_in(list(but))
    rows = db.session.execute(
        select(
            DeviceUse.device_id,
            DeviceUse.account_id,
            func.min(DeviceUse.used_at),
            last,
            func.count(DeviceUse.id),
        )
        .where(DeviceUse.device_id.in_(device_ids), who)
        .group_by(DeviceUse.device_id, DeviceUse.account_id)
        .order_by(last.desc())
        .limit(MOST_OTHERS)
    )
    return [
        (device, person, Span(first, latest, count))
        for device, person, first, latest, count in rows
    ]


def _newest_numbers(account_ids: Iterable[int]) -> dict[int, Number]:
    """Return the number that each of them confirmed last."""
    newest = (
        select(func.max(PhoneSide.id))
        .join(Trade, Trade.id == PhoneSide.trade_id)
        .where(
            PhoneSide.account_id.in_(sorted(account_ids)),
            Trade.phone_confirmed_at.is_not(None),
        )
        .group_by(PhoneSide.account_id)
    )
    rows = db.session.execute(
        select(
            PhoneSide.account_id,
            PhoneSide.number_hash,
            PhoneSide.number_kid,
            PhoneSide.number_masked,
        ).where(PhoneSide.id.in_(newest))
    )
    return {person: Number(hash, kid, masked) for person, hash, kid, masked in rows}


def _different(numbers: dict[int, Number], people: Iterable[int]) -> int:
    return count_different(numbers[one] for one in people if one in numbers)


def numbers_of(*account_ids: int) -> dict[int, list[Phone]]:
    """Return by person the sealed numbers of the own trades, the newest first."""
    last = func.max(PhoneSide.sealed_at)
    columns = (PhoneSide.number_hash, PhoneSide.number_kid, PhoneSide.number_masked)
    rows = db.session.execute(
        select(
            PhoneSide.account_id,
            *columns,
            func.min(PhoneSide.sealed_at).label("first"),
            last.label("last"),
            func.count(PhoneSide.id).label("n"),
            func.max(Trade.phone_confirmed_at).label("confirmed"),
        )
        .join(Trade, Trade.id == PhoneSide.trade_id)
        .where(PhoneSide.account_id.in_(account_ids), PhoneSide.sealed_at.is_not(None))
        .group_by(PhoneSide.account_id, *columns)
        .order_by(last.desc())
        .limit(MOST_NUMBERS)
    )
    found: dict[int, list[Phone]] = {person: [] for person in account_ids}
    for row in rows:
        number = Number(row.number_hash, row.number_kid, row.number_masked)
        span = Span(row.first, row.last, row.n)
        found[row.account_id].append(Phone(number, span, row.confirmed))
    return found


def shared_numbers(
    hold: Hold, ours: Sequence[Phone], theirs: Sequence[Phone]
) -> list[SharedNumber]:
    """Return the numbers of both, of trades or of what is watched for."""
    watched = {Number(row.hash, row.kid, ""): row.until for row in _watched(hold)}
    found = []
    for phone in ours:
        other = next((p for p in theirs if p.number.equals(phone.number)), None)
        until = next(
            (until for number, until in watched.items() if number.equals(phone.number)),
            None,
        )
        by_watch = until - rules.NUMBER_COUNTS_FOR if until is not None else None
        confirmed = other.confirmed_at if other is not None else by_watch
        if other is not None or until is not None:
            found.append(SharedNumber(phone.number.masked, phone, other, confirmed))
    return found


def _watched(hold: Hold) -> Sequence[Watch]:
    return db.session.scalars(
        select(Watch)
        .where(Watch.account_id == hold.other_id, Watch.signal == Signal.PHONE)
        .order_by(Watch.since.desc(), Watch.id)
        .limit(MOST_NUMBERS)
    ).all()
