"""What somebody has begun to write, kept on the server until it is sent or left."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, bindparam, delete
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core import prepared
from tradeboard.core.db import changed, db


class FormDraft(db.Model):
    """The fields of one form as they were typed, for a person, a kind, an object."""

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(primary_key=True)
    object_number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    fields: Mapped[dict[str, Any]] = mapped_column(JSON)
    changed_at: Mapped[datetime] = mapped_column(index=True)


_DRAFT = FormDraft.__table__.c
_DROP = delete(FormDraft.__table__).where(
    _DRAFT.account_id == bindparam("account_id"),
    _DRAFT.kind == bindparam("kind"),
    _DRAFT.object_number == bindparam("object_number"),
)


def find(account_id: int, kind: str, object_number: int) -> dict[str, Any] | None:
    """Return what was typed so far, or None."""
    draft = db.session.get(FormDraft, (account_id, kind, object_number))
    return draft.fields if draft else None


def keep(
    account_id: int,
    kind: str,
    object_number: int,
    fields: dict[str, Any],
    *,
    now: datetime,
) -> None:
    """Keep what is typed now in place of what was kept before."""
    db.session.merge(
        FormDraft(
            account_id=account_id,
            kind=kind,
            object_number=object_number,
            fields=fields,
            changed_at=now,
        )
    )


def drop(account_id: int, kind: str, object_number: int) -> None:
    """Drop a draft that was sent, or that its writer leaves."""
    of = {"account_id": account_id, "kind": kind, "object_number": object_number}
    prepared.later(_DROP, of)


def forget(*, before: datetime) -> int:
    """Forget the drafts last changed up to a moment, in the caller's transaction."""
    return changed(delete(FormDraft).where(FormDraft.changed_at <= before))
