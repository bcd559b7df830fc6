"""One effect per submitted form, however often its button is pressed."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    insert,
    select,
)
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core import prepared
from tradeboard.core.db import INSERT, changed, db


class HadEffect(Exception):  # noqa: N818  # No error: somebody pressed twice.
    """A form had its effect before, and led to `target`."""

    def __init__(self, target: str):
        super().__init__(target)
        self.target = target


class Submission(db.Model):
    """A form that had its effect, and the page that it led to."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int]
    submit_id: Mapped[str]
    target: Mapped[str]
    at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (UniqueConstraint("account_id", "submit_id"),)


# Past the unit of work, which every change would pay for.
_FORM = Submission.__table__.c
_TARGET = select(_FORM.target).where(
    _FORM.account_id == bindparam("account_id", type_=Integer),
    _FORM.submit_id == bindparam("submit_id", type_=String),
)
_SENT = insert(Submission.__table__)
_FIRST = {
    name: of_dialect(Submission.__table__).on_conflict_do_nothing().returning(_FORM.id)
    for name, of_dialect in INSERT.items()
}


def find_target(account_id: int, submit_id: str | None) -> str | None:
    """Return where this form led the first time, or None if it is new."""
    if not submit_id:
        return None
    of = {"account_id": account_id, "submit_id": submit_id[:64]}
    found = prepared.in_session(_TARGET, of)
    return found[0][0] if found else None


def require_new(account_id: int, submit_id: str | None) -> None:
    """Let the transaction's next question raise HadEffect unless this form is new.

    It takes no trip of its own; at the latest it is answered before COMMIT.
    """
    if submit_id:
        of = {"account_id": account_id, "submit_id": submit_id[:64]}
        prepared.later(_TARGET, of, then=_refuse_known)


def _refuse_known(found: prepared.Rows) -> None:
    if found:
        raise HadEffect(found[0][0])


def remember(
    account_id: int, submit_id: str | None, target: str, *, now: datetime
) -> None:
    """Keep where this form led, in the transaction of its effect."""
    if submit_id:
        prepared.later(_SENT, _row(account_id, submit_id, target, now))


def claim(
    account_id: int, submit_id: str | None, target: str, *, now: datetime
) -> bool:
    """Keep where this form will lead, or tell that it had its effect before.

    The same form, sent at the same moment, waits here for the end of the first.
    """
    if not submit_id:
        return True
    row = _row(account_id, submit_id, target, now)
    return bool(prepared.in_session(_FIRST[db.engine.dialect.name], row))


def _row(account_id: int, submit_id: str, target: str, now: datetime) -> dict[str, Any]:
    return {
        "account_id": account_id,
        "submit_id": submit_id[:64],
        "target": target,
        "at": now,
    }


def forget(*, before: datetime) -> int:
    """Forget the forms that were sent up to a moment, in the caller's transaction."""
    return changed(delete(Submission).where(Submission.at <= before))
