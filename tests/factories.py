"""Make rows; pass what the test is about, get the rest."""

import hashlib
import secrets
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from tradeboard.accounts import queries, totp
from tradeboard.accounts.models import Account, Handle, Session
from tradeboard.accounts.rules import handles
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import second_factor
from tradeboard.core import clock, keyring
from tradeboard.core.db import db, writing
from tradeboard.core.transaction import transaction
from tradeboard.terms.models import Agreement

MONDAY = datetime(2026, 6, 1, 12, tzinfo=UTC)
DUE = MONDAY + timedelta(days=14)
A_MOMENT = timedelta(microseconds=1)
PASSWORD = "correct horse battery staple"


@contextmanager
def in_transaction():
    """Write now; within the `write` fixture, in its transaction."""
    if writing.get():
        yield
        db.session.flush()
        return
    with transaction():
        yield


def make_account(handle, *, agreed=True, confirmed=True, role=Role.MEMBER, **columns):
    """Make a person who may trade: address confirmed, terms agreed."""
    address = columns.pop("email", f"{handle}@example.com")
    columns.setdefault("created_at", MONDAY - timedelta(days=30))
    columns.setdefault("password_hash", "!")
    with in_transaction():
        account = Account(
            handle=handle,
            email=address,
            email_wire=address,
            email_key=keyring.mac_hex("email", address),
            email_kid=keyring.ring().kid("email"),
            email_rules=1,
            email_confirmed_at=MONDAY - timedelta(days=30) if confirmed else None,
            role=role,
            **columns,
        )
        db.session.add(account)
        db.session.flush()
        skeleton = handles.skeleton(handle)
        since = columns["created_at"]
        db.session.add(
            Handle(account_id=account.id, shown=handle, skeleton=skeleton, since=since)
        )
        if agreed:
            agree(account)
    return account


def agree(account, number=1):
    """Let a person have agreed to the terms."""
    agreed_at = MONDAY - timedelta(days=30)
    db.session.add(Agreement(account_id=account.id, number=number, agreed_at=agreed_at))


def give_factor(account, now=None):
    """Let somebody have an app for codes; return its secret and the recovery codes."""
    now = now or clock.now() - timedelta(minutes=5)
    with in_transaction():
        second_factor.begin(account, now=now)
    secret = totp.unseal(queries.find_totp(account.id).secret, account.id)
    with in_transaction():
        codes = second_factor.confirm(account, totp.code_at(secret, now), now=now)
    return secret, codes


def make_session(account):
    """Sign a person in; return the token that the cookie holds."""
    token = secrets.token_urlsafe(32)
    now = clock.now()
    with in_transaction():
        row = Session(
            token_hash=hashlib.sha256(token.encode()).hexdigest(),
            account_id=account.id,
            created_at=now,
            last_seen_at=now,
            expires_at=now + timedelta(days=14),
            ends_at=now + timedelta(days=60),
            signed_in_at=now,
            proved_at=now,
            second_factor_at=now if account.role is not Role.MEMBER else None,
        )
        db.session.add(row)
    return token


def look_anew():
    """See what others have committed; a transaction that writes sees it anyway."""
    if not writing.get():
        db.session.rollback()


def count(model, *conditions):
    """Return how many rows there are."""
    return len(db.session.scalars(select(model).where(*conditions)).all())
