"""Read the terms and who agreed to them."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Integer, String, bindparam, cast, exists, func, select

from tradeboard.accounts.models import Account, Session
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.notifications.models import OutboxMail
from tradeboard.terms import rules
from tradeboard.terms.models import Agreement, TermsVersion

# Asked at every post, offer and acceptance, hence built once; as parts of others, too.
NEWEST = select(func.max(TermsVersion.number)).scalar_subquery()
AGREED = (
    select(func.max(Agreement.number))
    .where(Agreement.account_id == bindparam("account_id", type_=Integer))
    .scalar_subquery()
)
_NUMBERS = select(NEWEST, AGREED)


def newest() -> TermsVersion | None:
    """Return the version in force, or None before the first one."""
    return db.session.scalar(
        select(TermsVersion).order_by(TermsVersion.number.desc()).limit(1)
    )


def newest_number() -> int | None:
    """Return the number of the version in force, without its text."""
    return db.session.scalar(select(func.max(TermsVersion.number)))


def get_version(number: int) -> TermsVersion:
    """Return a version, or raise NotFound."""
    version = db.session.get(TermsVersion, number)
    if version is None:
        raise NotFound("その版の規約はありません。")
    return version


def versions() -> Sequence:
    """Return number and day of every version, newest first."""
    return db.session.execute(
        select(TermsVersion.number, TermsVersion.published_at)
        .order_by(TermsVersion.number.desc())
        .limit(100)
    ).all()


def agreed_number(account_id: int) -> int | None:
    """Return the newest version that a person agreed to, or None."""
    return db.session.scalar(
        select(func.max(Agreement.number)).where(Agreement.account_id == account_id)
    )


def numbers_for(account_id: int) -> tuple[int | None, int | None]:
    """Return the version in force and the newest that a person agreed to, at once."""
    newest, agreed = db.session.execute(_NUMBERS, {"account_id": account_id}).one()
    return newest, agreed


def untold_ids(
    version: TermsVersion, now: datetime, *, limit: int = 200
) -> Sequence[int]:
    """Return active members without a mail about a version, in order of number.

    The outbox holds a row for each who was told, so that one lost run loses nobody.
    """
    told = exists().where(
        OutboxMail.key == f"terms:{version.number}:" + cast(Account.id, String)
    )
    return db.session.scalars(
        select(Account.id)
        .where(
            Account.closed_at.is_(None),
            Account.email_confirmed_at.is_not(None),
            Account.created_at < version.published_at,
            exists().where(
                Session.account_id == Account.id,
                Session.last_seen_at > now - rules.ACTIVE_WITHIN,
            ),
            ~told,
        )
        .order_by(Account.id)
        .limit(limit)
    ).all()
