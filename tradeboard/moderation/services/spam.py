"""Put away a signal or a note that a moderator has looked at who is near to nobody."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, StaffNote
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import notes
from tradeboard.audit.services import record
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, NotFound
from tradeboard.moderation import queries
from tradeboard.reports.models import SignalSeen
from tradeboard.trades import queries as trades

NEAR = "自分や近い人についてのことは、ほかの担当者に任せてください。"


def see_signal(key: str, *, by: Account, now: datetime) -> None:
    """Put a signal away that is there; a greater number of the same makes a new one."""
    if key and db.session.get(SignalSeen, key[:200]) is not None:
        return
    found = next((one for one in queries.signals(now) if one.key == key), None)
    if found is None:
        raise NotFound("この合図は見つかりません。")
    if not by.may(Act.SEE_SIGNALS) or not trades.may_judge(by, found.account_ids):
        raise NotAllowed(NEAR)
    db.session.add(SignalSeen(key=key, by_id=by.id, at=now))
    record("signal.seen", f"signal:{key}", by_id=by.id, now=now)


def see_note(note_id: int, *, by: Account, now: datetime) -> StaffNote:
    """Put a note away, unless it is about somebody near."""
    note = accounts.get_note(note_id)
    people = [one for one in (note.account_id, note.other_id) if one is not None]
    if not trades.may_judge(by, people):
        raise NotAllowed(NEAR)
    return notes.see(note_id, by=by, now=now)
