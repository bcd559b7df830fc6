"""Ask moderators to look at something when there is time; it bars nobody."""

from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, StaffNote
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.rules.permissions import Act
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed


def note(
    kind: NoteKind,
    account_id: int,
    *,
    other_id: int | None = None,
    detail: str = "",
    now: datetime,
) -> StaffNote:
    """Leave a note; the same one is left once until it has been seen.

    `detail` is a code of the rules, never a number or an address.
    """
    row = queries.find_open_note(kind, account_id, other_id)
    if row is None:
        row = StaffNote(
            kind=kind, account_id=account_id, other_id=other_id, made_at=now
        )
        db.session.add(row)
    row.detail = detail
    db.session.flush()
    return row


def see(note_id: int, *, by: Account, now: datetime) -> StaffNote:
    """Let a moderator whom it does not concern put a note away."""
    row = queries.get_note(note_id)
    if not by.may(Act.SEE_NOTES) or by.id in (row.account_id, row.other_id):
        raise NotAllowed("このメモは、ほかの担当者に任せてください。")
    if row.seen_at is not None:
        raise Conflict("このメモは、すでに確認済みです。")
    row.seen_at, row.seen_by_id = now, by.id
    audit.record(
        "see note", f"note:{row.id}", by_id=by.id, now=now, kind=row.kind.value
    )
    return row
