"""Read the names that a person bears and bore."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select

from tradeboard.accounts.models import Account, Handle
from tradeboard.core.db import db


def names_of(account_id: int) -> Sequence[Handle]:
    """Return a person's names, the present one first, then the newest."""
    own = select(Handle).where(Handle.account_id == account_id)
    order = (Handle.current.desc(), Handle.since.desc(), Handle.id.desc())
    return db.session.scalars(own.order_by(*order).limit(100)).all()


def renamed_at(account_id: int) -> datetime | None:
    """Return when a person last took another name, or None if that never was.

    The name of the registration has the moment of the registration.
    """
    return db.session.scalar(
        select(func.max(Handle.since))
        .join(Account, Account.id == Handle.account_id)
        .where(Handle.account_id == account_id, Handle.since > Account.created_at)
    )


def find_name(skeleton: str) -> Handle | None:
    """Return the name that reads like this, whose ever it is or was."""
    return db.session.scalar(select(Handle).where(Handle.skeleton == skeleton))
