"""Read people: by number, by name, by mailbox, and what bars them."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import ScalarResult, exists, or_, select

from tradeboard.accounts.models import Account, Handle, Restriction
from tradeboard.accounts.rules import handles
from tradeboard.accounts.rules.permissions import BARRED, STAFF
from tradeboard.accounts.rules.standing import Role
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound

LONGEST_HANDLE = 80


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
            Account.closed_at.is_(None),
        )
    )


def find_confirmed(address: str) -> Account | None:
    """Return who logs in with this address, once it has been confirmed."""
    return db.session.scalar(
        select(Account)
        .where(
            Account.email_login == address.lower(),
            Account.email_confirmed_at.is_not(None),
            Account.closed_at.is_(None),
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
            Account.closed_at.is_(None),
        )
        .order_by(Account.created_at.desc(), Account.id.desc())
        .limit(1)
    )


def admins() -> Sequence[Account]:
    """Return who administers and may act."""
    return _with_roles({Role.ADMIN}).all()


def staff() -> Sequence[Account]:
    """Return who moderates and may act."""
    return _with_roles(STAFF).all()


def staff_ids() -> set[int]:
    """Return the numbers of all who moderate, also of those who may not act now."""
    found = select(Account.id).where(Account.role.in_(STAFF))
    return set(db.session.scalars(found))


def _with_roles(roles) -> ScalarResult[Account]:
    return db.session.scalars(
        select(Account)
        .where(
            Account.role.in_(roles),
            Account.standing.not_in(BARRED),
            Account.closed_at.is_(None),
        )
        .order_by(Account.id)
    )


def restrictions_of(account_id: int) -> Sequence[Restriction]:
    """Return what bars a person now, oldest first."""
    return db.session.scalars(
        select(Restriction)
        .where(Restriction.account_id == account_id, Restriction.ended_at.is_(None))
        .order_by(Restriction.since, Restriction.id)
    ).all()


def restrictions_for(
    account_ids: Iterable[int], causes: Iterable[str]
) -> Sequence[Restriction]:
    """Return what bars these people now, and what these causes ever barred."""
    return db.session.scalars(
        select(Restriction).where(
            Restriction.account_id.in_(list(account_ids)),
            or_(Restriction.ended_at.is_(None), Restriction.cause.in_(list(causes))),
        )
    ).all()


def ended_restriction_ids(now: datetime, limit: int = 500) -> Sequence[int]:
    """Return restrictions whose time is over."""
    return db.session.scalars(
        select(Restriction.id)
        .where(Restriction.until <= now, Restriction.ended_at.is_(None))
        .order_by(Restriction.until, Restriction.id)
        .limit(limit)
    ).all()
