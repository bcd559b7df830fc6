"""What moderators have on record about a person."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from tradeboard.accounts.models import Restriction
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.records import dataclass
from tradeboard.reports.models import MemberWarning, Remark, Report

MOST = 20


@dataclass(frozen=True)
class History:
    """Warnings, suspensions, reports and remarks about one person, newest first."""

    warnings: Sequence[MemberWarning]
    restrictions: Sequence[Restriction]
    reports: Sequence[Report]
    remarks: Sequence[Remark]


def history(account_id: int) -> History:
    """Return what is on record about a person."""
    return History(
        warnings_of(account_id),
        db.session.scalars(
            select(Restriction)
            .where(Restriction.account_id == account_id)
            .order_by(Restriction.since.desc(), Restriction.id.desc())
            .limit(MOST)
        ).all(),
        db.session.scalars(
            select(Report)
            .where(Report.account_id == account_id)
            .order_by(Report.made_at.desc(), Report.id.desc())
            .limit(MOST)
        ).all(),
        db.session.scalars(
            select(Remark)
            .where(Remark.account_id == account_id)
            .order_by(Remark.at.desc(), Remark.id.desc())
            .limit(MOST)
            .options(joinedload(Remark.by))
        ).all(),
    )


def warnings_of(account_id: int) -> Sequence[MemberWarning]:
    """Return the warnings that a person got, the newest first."""
    return db.session.scalars(
        select(MemberWarning)
        .where(MemberWarning.account_id == account_id)
        .order_by(MemberWarning.at.desc(), MemberWarning.id.desc())
        .limit(MOST)
    ).all()


def unseen_warnings(account_id: int) -> int:
    """Return how many warnings a person has not marked as read."""
    return (
        db.session.scalar(
            select(func.count(MemberWarning.id)).where(
                MemberWarning.account_id == account_id, MemberWarning.seen_at.is_(None)
            )
        )
        or 0
    )


def get_own_warning(account_id: int, warning_id: int) -> MemberWarning:
    """Return a warning of that person's own; other people's are not found."""
    warning = db.session.get(MemberWarning, warning_id)
    if warning is None or warning.account_id != account_id:
        raise NotFound("この警告は見つかりません。")
    return warning
