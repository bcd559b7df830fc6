"""Read ways in and who looked: browsers, sessions, keys, and who saw the own number."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import func, select

from tradeboard.accounts.models import (
    Account,
    Device,
    DeviceName,
    DeviceUse,
    Passkey,
    Session,
)
from tradeboard.accounts.services.looking import LOOK
from tradeboard.api.models import ApiKey
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.trades.queries import REVEAL


def devices(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the own browsers by their public code."""
    first, last = func.min(DeviceUse.used_at), func.max(DeviceUse.used_at)
    uses = (
        select(DeviceUse.device_id, first.label("first"), last.label("last"))
        .where(DeviceUse.account_id == owner.id)
        .group_by(DeviceUse.device_id)
        .subquery()
    )
    named = (DeviceName.device_id == Device.id) & (DeviceName.account_id == owner.id)
    found = (
        select(Device.code, DeviceName.name, uses.c.first, uses.c.last)
        .join(uses, uses.c.device_id == Device.id)
        .outerjoin(DeviceName, named)
        .order_by(Device.id)
    )
    for row in db.session.execute(found):
        yield {
            "code": row.code,
            "name": row.name or "",
            "first_used_at": row.first,
            "last_used_at": row.last,
        }


def sessions(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield where the person signed in; the tokens are kept nowhere."""
    own = select(Session).where(Session.account_id == owner.id)
    for row in db.session.scalars(own.order_by(Session.created_at)):
        yield {
            "signed_in_at": row.signed_in_at,
            "last_seen_at": row.last_seen_at,
            "expires_at": row.expires_at,
            "revoked_at": row.revoked_at,
            "browser": row.label,
            "network": row.network,
        }


def passkeys(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the passkeys without their keys."""
    own = select(Passkey).where(Passkey.account_id == owner.id)
    for row in db.session.scalars(own.order_by(Passkey.id)):
        yield {"name": row.name, "made_at": row.made_at, "used_at": row.used_at}


def api_keys(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the keys for machines without their secrets."""
    own = select(ApiKey).where(ApiKey.account_id == owner.id)
    for row in db.session.scalars(own.order_by(ApiKey.id)):
        yield {
            "name": row.name,
            "scopes": row.scopes,
            "made_at": row.made_at,
            "expires_at": row.expires_at,
            "last_used_at": row.last_used_at,
            "revoked_at": row.revoked_at,
        }


def reveals(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield when the own number was shown, in which trade, and to whom."""
    found = select(AuditRow).where(
        AuditRow.object == f"account:{owner.id}", AuditRow.action == REVEAL
    )
    for row in db.session.scalars(found.order_by(AuditRow.seq)):
        viewer = db.session.get(Account, row.body["viewer"])
        yield {
            "at": row.at,
            "trade": row.body["trade"],
            "shown_to": viewer.handle if viewer is not None else "",
        }


def looks(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield when somebody of staff looked at what is the person's, and at what."""
    found = select(AuditRow).where(
        AuditRow.object == f"account:{owner.id}", AuditRow.action == LOOK
    )
    for row in db.session.scalars(found.order_by(AuditRow.seq)):
        yield {"at": row.at, "thing": row.body["thing"]}
