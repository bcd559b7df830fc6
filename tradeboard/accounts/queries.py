"""Read people, their devices and their sessions."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import exists, func, select

from tradeboard.accounts.models import (
    Account,
    Device,
    DeviceUse,
    Handle,
    MailedToken,
    RecoveryCode,
    Restriction,
    Session,
    Totp,
)
from tradeboard.accounts.rules import handles
from tradeboard.accounts.rules.standing import STAFF, Role
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound

LONGEST_HANDLE = 80
UNCONFIRMED_FOR = timedelta(days=7)


def get_account(account_id: int) -> Account:
    """Return a person, or raise NotFound."""
    account = db.session.get(Account, account_id)
    if account is None:
        raise NotFound("そのアカウントは見つかりません。")
    return account


def find_by_handle(text: str) -> Account | None:
    """Return who bears or bore a name that reads like this, or None."""
    if not text or len(text) > LONGEST_HANDLE:
        return None
    reads = handles.skeleton(handles.tidied(text))
    return db.session.scalar(
        select(Account)
        .join(Handle, Handle.account_id == Account.id)
        .where(Handle.skeleton == reads)
    )


def is_taken(skeleton: str) -> bool:
    """Tell whether somebody bears or bore a name that reads like this."""
    return bool(db.session.scalar(select(exists().where(Handle.skeleton == skeleton))))


def email_keys(canonical: str) -> list[str]:
    """Return the keyed hashes of a mailbox under every key in use."""
    ring = keyring.ring()
    return [keyring.mac_hex("email", canonical, kid) for kid in ring.keys["email"]]


def find_by_mailbox(canonical: str) -> Account | None:
    """Return who has confirmed this mailbox, or None."""
    return db.session.scalar(
        select(Account).where(
            Account.email_key.in_(email_keys(canonical)),
            Account.email_confirmed_at.is_not(None),
        )
    )


def find_confirmed(address: str) -> Account | None:
    """Return who logs in with this address, once it has been confirmed."""
    return db.session.scalar(
        select(Account)
        .where(
            Account.email_login == address.lower(),
            Account.email_confirmed_at.is_not(None),
        )
        .order_by(Account.id)
        .limit(1)
    )


def find_unconfirmed(address: str) -> Account | None:
    """Return who registered last with this address and has not confirmed it."""
    return db.session.scalar(
        select(Account)
        .where(
            Account.email_login == address.lower(),
            Account.email_confirmed_at.is_(None),
        )
        .order_by(Account.created_at.desc(), Account.id.desc())
        .limit(1)
    )


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


def accounts_of_device(device_id: int) -> Sequence[Account]:
    """Return who wrote from a device."""
    used = select(DeviceUse.account_id).where(DeviceUse.device_id == device_id)
    return db.session.scalars(
        select(Account).where(Account.id.in_(used)).order_by(Account.id).limit(100)
    ).all()


def has_used(account_id: int, device_key: str) -> bool:
    """Tell whether a person wrote from this browser before."""
    used = exists().where(
        DeviceUse.account_id == account_id,
        DeviceUse.device_id == Device.id,
        Device.key == device_key,
    )
    return bool(db.session.scalar(select(used)))


def has_any_device(account_id: int) -> bool:
    """Tell whether a person wrote from any browser before."""
    return bool(
        db.session.scalar(select(exists().where(DeviceUse.account_id == account_id)))
    )


def admins() -> Sequence[Account]:
    """Return who runs the board."""
    return _with_roles({Role.ADMIN})


def staff() -> Sequence[Account]:
    """Return who moderates."""
    return _with_roles(STAFF)


def _with_roles(roles) -> Sequence[Account]:
    return db.session.scalars(
        select(Account)
        .where(Account.role.in_(roles), Account.closed_at.is_(None))
        .order_by(Account.id)
    ).all()


def find_session(token_hash: str, *, now: datetime) -> Session | None:
    """Return the session of a cookie, if it is still good."""
    return db.session.scalar(
        select(Session).where(
            Session.token_hash == token_hash,
            Session.revoked_at.is_(None),
            Session.expires_at > now,
            Session.ends_at > now,
        )
    )


def sessions_of(account_id: int, *, now: datetime) -> Sequence[Session]:
    """Return where a person is signed in, newest first."""
    return db.session.scalars(
        select(Session)
        .where(
            Session.account_id == account_id,
            Session.revoked_at.is_(None),
            Session.expires_at > now,
            Session.ends_at > now,
        )
        .order_by(Session.last_seen_at.desc(), Session.token_hash)
        .limit(100)
    ).all()


def find_totp(account_id: int) -> Totp | None:
    """Return the second factor of a person, set up or begun, or None."""
    return db.session.get(Totp, account_id)


def recovery_codes_left(account_id: int) -> int:
    """Return how many recovery codes have not been used."""
    unused = select(func.count()).where(
        RecoveryCode.account_id == account_id, RecoveryCode.used_at.is_(None)
    )
    return db.session.scalar(unused) or 0


def newest_token_at(account_id: int, purpose: str) -> datetime | None:
    """Return when a link for this purpose was last made."""
    return db.session.scalar(
        select(func.max(MailedToken.made_at)).where(
            MailedToken.account_id == account_id, MailedToken.purpose == purpose
        )
    )


def restrictions_of(account_id: int) -> Sequence[Restriction]:
    """Return what bars a person now, oldest first."""
    return db.session.scalars(
        select(Restriction)
        .where(Restriction.account_id == account_id, Restriction.ended_at.is_(None))
        .order_by(Restriction.since, Restriction.id)
    ).all()


def ended_restriction_ids(now: datetime, limit: int = 500) -> Sequence[int]:
    """Return restrictions whose time is over."""
    return db.session.scalars(
        select(Restriction.id)
        .where(Restriction.until <= now, Restriction.ended_at.is_(None))
        .order_by(Restriction.until, Restriction.id)
        .limit(limit)
    ).all()


def forgettable_account_ids(
    now: datetime, *, only: int | None = None, limit: int = 500
) -> Sequence[int]:
    """Return accounts unconfirmed for 7 days that nothing else refers to."""
    found = select(Account.id).where(
        Account.email_confirmed_at.is_(None),
        Account.created_at <= now - UNCONFIRMED_FOR,
        Account.role == Role.MEMBER,
    )
    if only is not None:
        found = found.where(Account.id == only)
    for column in references_to(Account, but=OWN_TABLES):
        found = found.where(~exists().where(column == Account.id))
    return db.session.scalars(found.order_by(Account.id).limit(limit)).all()


OWN_TABLES = frozenset(
    model.__tablename__
    for model in (
        Handle,
        Restriction,
        DeviceUse,
        Session,
        Totp,
        RecoveryCode,
        MailedToken,
    )
)


def references_to(model, *, but: frozenset[str]):
    """Return every column of any feature that points at a table of ours."""
    target = model.__table__
    return [
        key.parent
        for table in db.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table is target and table.name not in but
    ]
