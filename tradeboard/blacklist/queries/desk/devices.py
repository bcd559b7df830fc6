"""From which browsers somebody wrote, and who else did when."""

from dataclasses import field
from datetime import datetime

from sqlalchemy import case, func, select

from tradeboard.accounts.models import Account, Device, DeviceUse
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules.desk import Span, overlap
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.trades.models import Trade

MOST_ROWS = 200


@dataclass(frozen=True)
class Other:
    """Somebody else who wrote from the same browser, and when both did."""

    handle: str
    span: Span
    overlap: tuple[datetime, datetime] | None


@dataclass
class Seen:
    """A browser of a person in that time, and who else wrote from it."""

    code: str
    shared: bool
    own: Span | None = None
    others: list[Other] = field(default_factory=list)


def devices_between(trade: Trade, account_id: int) -> list[Seen]:
    """Return the browsers used between the agreement and the due instant."""
    used = select(DeviceUse.device_id).where(
        DeviceUse.account_id == account_id,
        DeviceUse.used_at >= trade.agreed_at,
        DeviceUse.used_at <= (trade.due_at or trade.moved_at),
    )
    return _seen(Device.id.in_(used), account_id)


def devices_named(entry: Entry) -> list[Seen]:
    """Return the browsers that an entry names."""
    ids = [device.device_id for device in entry.devices]
    return _seen(Device.id.in_(ids), entry.account_id)


def _seen(condition, account_id: int) -> list[Seen]:
    """Sum up who wrote from browsers when, in one statement.

    The own uses come first, so that many others cut none of them off; then the newest.
    """
    last = func.max(DeviceUse.used_at)
    own_first = case((Account.id == account_id, 0), else_=1)
    rows = db.session.execute(
        select(
            Device.code,
            Device.shared,
            Account.id,
            Account.handle,
            func.min(DeviceUse.used_at),
            last,
            func.count(DeviceUse.id),
        )
        .outerjoin(DeviceUse, DeviceUse.device_id == Device.id)
        .outerjoin(Account, Account.id == DeviceUse.account_id)
        .where(condition)
        .group_by(Device.code, Device.shared, Account.id, Account.handle)
        .order_by(own_first, last.desc(), Device.code, Account.id)
        .limit(MOST_ROWS)
    ).all()
    found = {row[0]: Seen(row[0], row[1]) for row in rows}
    spans = [(row[0], row[2], row[3], Span(*row[4:])) for row in rows if row[2]]
    for code, person, _handle, span in spans:
        if person == account_id:
            found[code].own = span
    for code, person, handle, span in spans:
        if person != account_id:
            found[code].others.append(_other(handle, span, found[code].own))
    return sorted(found.values(), key=lambda seen: seen.code)


def _other(handle: str, span: Span, own: Span | None) -> Other:
    return Other(handle, span, overlap(own, span) if own is not None else None)
