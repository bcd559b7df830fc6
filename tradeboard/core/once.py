"""One effect per submitted form, however often its button is pressed."""

from datetime import datetime

from sqlalchemy import UniqueConstraint, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import changed, db


class Submission(db.Model):
    """A form that had its effect, and the page that it led to."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int]
    submit_id: Mapped[str]
    target: Mapped[str]
    at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (UniqueConstraint("account_id", "submit_id"),)


def find_target(account_id: int, submit_id: str | None) -> str | None:
    """Return where this form led the first time, or None if it is new."""
    if not submit_id:
        return None
    return db.session.scalar(
        select(Submission.target).where(
            Submission.account_id == account_id, Submission.submit_id == submit_id
        )
    )


def remember(
    account_id: int, submit_id: str | None, target: str, *, now: datetime
) -> None:
    """Keep where this form led, in the transaction of its effect."""
    if submit_id:
        db.session.add(
            Submission(
                account_id=account_id, submit_id=submit_id[:64], target=target, at=now
            )
        )


def forget(*, before: datetime) -> int:
    """Forget the forms that were sent up to a moment, in the caller's transaction."""
    return changed(delete(Submission).where(Submission.at <= before))
