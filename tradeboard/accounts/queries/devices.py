"""Read browsers and who wrote from them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, exists, func, select

from tradeboard.accounts.models import Account, Device, DeviceName, DeviceUse, Session
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.records import dataclass


@dataclass(frozen=True)
class OwnDevice:
    """A browser as its user sees it: `labels` are those of the sessions open in it."""

    id: int
    code: str
    name: str
    first: datetime
    last: datetime
    labels: tuple[str, ...]

    @property
    def is_signed_in(self) -> bool:
        """Tell whether somebody is signed in there now."""
        return bool(self.labels)

    @property
    def label(self) -> str:
        """Return what the newest open session calls it, if that is known."""
        return next(filter(None, self.labels), "")


class Span(NamedTuple):
    """What somebody did in some time."""

    account_id: int
    since: datetime
    until: datetime


def devices_used(
    account_id: int, *, since: datetime, until: datetime
) -> Sequence[Device]:
    """Return the devices from which a person wrote in that time."""
    used = select(DeviceUse.device_id).where(
        DeviceUse.account_id == account_id,
        DeviceUse.used_at >= since,
        DeviceUse.used_at <= until,
    )
    return db.session.scalars(
        select(Device).where(Device.id.in_(used)).order_by(Device.id)
    ).all()


def devices_used_in(spans: Mapping[int, Span]) -> dict[int, list[Device]]:
    """Return from which devices people wrote in spans of time, by the key of each."""
    if not spans:
        return {}
    used = select(DeviceUse.account_id, DeviceUse.device_id, DeviceUse.used_at).where(
        DeviceUse.account_id.in_({span.account_id for span in spans.values()}),
        DeviceUse.used_at >= min(span.since for span in spans.values()),
        DeviceUse.used_at <= max(span.until for span in spans.values()),
    )
    uses = defaultdict(list)
    for account_id, device_id, used_at in db.session.execute(used):
        uses[account_id].append((device_id, used_at))
    each = {
        key: {id for id, at in uses[span.account_id] if span.since <= at <= span.until}
        for key, span in spans.items()
    }
    devices = select(Device).where(Device.id.in_(set().union(*each.values())))
    by_id = {device.id: device for device in db.session.scalars(devices)}
    return {key: [by_id[id] for id in sorted(ids)] for key, ids in each.items()}


def devices_of(account_id: int) -> list[tuple[Device, datetime]]:
    """Return a person's devices with the moment of the last use, newest first."""
    last = func.max(DeviceUse.used_at).label("last")
    rows = db.session.execute(
        select(DeviceUse.device_id, last)
        .where(DeviceUse.account_id == account_id)
        .group_by(DeviceUse.device_id)
        .order_by(last.desc())
        .limit(100)
    ).all()
    found = db.session.scalars(
        select(Device).where(Device.id.in_([row.device_id for row in rows]))
    )
    by_id = {device.id: device for device in found}
    return [(by_id[row.device_id], row.last) for row in rows]


def own_devices(account_id: int, *, now: datetime) -> list[OwnDevice]:
    """Return a person's browsers, the last used first, in two statements."""
    first, last = func.min(DeviceUse.used_at), func.max(DeviceUse.used_at)
    uses = (
        select(DeviceUse.device_id, first.label("first"), last.label("last"))
        .where(DeviceUse.account_id == account_id)
        .group_by(DeviceUse.device_id)
        .order_by(last.desc(), DeviceUse.device_id)
        .limit(100)
        .subquery()
    )
    named = and_(
        DeviceName.device_id == uses.c.device_id, DeviceName.account_id == account_id
    )
    rows = db.session.execute(
        select(Device.id, Device.code, DeviceName.name, uses.c.first, uses.c.last)
        .join(uses, uses.c.device_id == Device.id)
        .outerjoin(DeviceName, named)
        .order_by(uses.c.last.desc(), Device.id)
    )
    labels = _labels(account_id, now)
    return [
        OwnDevice(
            id=row.id,
            code=row.code,
            name=row.name or "",
            first=row.first,
            last=row.last,
            labels=tuple(labels.get(row.id, ())),
        )
        for row in rows
    ]


def _labels(account_id: int, now: datetime) -> dict[int, list[str]]:
    """Return what the open sessions call the browsers they are in."""
    rows = db.session.execute(
        select(Session.device_id, Session.label)
        .where(
            Session.account_id == account_id,
            Session.revoked_at.is_(None),
            Session.expires_at > now,
            Session.ends_at > now,
        )
        .order_by(Session.last_seen_at.desc(), Session.token_hash)
    )
    found: dict[int, list[str]] = {}
    for device_id, label in rows:
        if device_id is not None:
            found.setdefault(device_id, []).append(label)
    return found


def get_own_device(account_id: int, code: str) -> Device:
    """Return a browser of that person by its code; other people's are not found."""
    used = exists().where(
        DeviceUse.account_id == account_id, DeviceUse.device_id == Device.id
    )
    device = db.session.scalar(select(Device).where(Device.code == code, used))
    if device is None:
        raise NotFound("この端末は見つかりません。")
    return device


def accounts_of_device(device_id: int) -> Sequence[Account]:
    """Return who wrote from a device."""
    used = select(DeviceUse.account_id).where(DeviceUse.device_id == device_id)
    return db.session.scalars(
        select(Account).where(Account.id.in_(used)).order_by(Account.id).limit(100)
    ).all()


def others_on(
    device_ids: Iterable[int], account_id: int
) -> dict[int, list[tuple[Account, datetime, datetime]]]:
    """Return who else wrote from these browsers, with the first and the last time."""
    first, last = func.min(DeviceUse.used_at), func.max(DeviceUse.used_at)
    uses = (
        select(DeviceUse.device_id, DeviceUse.account_id, first, last)
        .where(DeviceUse.device_id.in_(list(device_ids)))
        .where(DeviceUse.account_id != account_id)
        .group_by(DeviceUse.device_id, DeviceUse.account_id)
        .order_by(last.desc(), DeviceUse.account_id)
        .limit(500)
    )
    rows = db.session.execute(uses).all()
    ids = {row.account_id for row in rows}
    people = db.session.scalars(select(Account).where(Account.id.in_(ids)))
    by_id = {person.id: person for person in people}
    found: dict[int, list[tuple[Account, datetime, datetime]]] = {}
    for device_id, other_id, began, ended in rows:
        found.setdefault(device_id, []).append((by_id[other_id], began, ended))
    return found


def has_used(account_id: int, device_keys: Sequence[str]) -> bool:
    """Tell whether a person wrote from this browser before, under any key in use."""
    return has_used_any([account_id], device_keys)


def has_used_any(account_ids: Sequence[int], device_keys: Sequence[str]) -> bool:
    """Tell whether one of these people did; nobody is asked about all the same."""
    used = exists().where(
        DeviceUse.account_id.in_(account_ids or [0]),
        DeviceUse.device_id == Device.id,
        Device.key.in_(device_keys),
    )
    return bool(db.session.scalar(select(used)))


def has_any_device(account_id: int) -> bool:
    """Tell whether a person wrote from any browser before."""
    return bool(
        db.session.scalar(select(exists().where(DeviceUse.account_id == account_id)))
    )
