"""Read the terms and who agreed to them."""

from collections.abc import Sequence

from sqlalchemy import func, select

from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.terms.models import Agreement, TermsVersion


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
