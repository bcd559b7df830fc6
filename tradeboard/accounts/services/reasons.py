"""A grave act of staff has a written reason, which all others of staff are told."""

import hashlib
from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, StaffReason
from tradeboard.accounts.rules.permissions import GRAVE, Act
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, RuleBroken
from tradeboard.notifications.services import queue_mail

LONGEST = 500


def give(
    act: Act, thing: str, words: str, *, by: Account | None, now: datetime
) -> StaffReason:
    """Keep why a grave act is done, and tell everybody else of staff at once.

    `by` is None on the server. The audit log names the reason and holds its hash, so
    that nobody changes it unseen.
    """
    assert act in GRAVE
    if by is not None and not by.may(act):
        raise NotAllowed("この操作ができるのは、管理者だけです。")
    words = words.strip()
    if not words:
        raise RuleBroken(
            "理由を書いてください。ほかの担当者全員に届きます。", field="why"
        )
    if len(words) > LONGEST:
        raise RuleBroken("%(n)s字までです。", field="why", n=LONGEST)
    by_id = by.id if by is not None else None
    row = StaffReason(at=now, by_id=by_id, act=act.value, thing=thing, words=words)
    db.session.add(row)
    db.session.flush()
    audit.record(
        "reason",
        thing,
        by_id=by_id,
        now=now,
        act=act.value,
        reason=row.id,
        sha256=hashlib.sha256(words.encode()).hexdigest(),
    )
    for person in queries.staff():
        if person.id != by_id:
            _tell(person, row, by, now)
    return row


def _tell(person: Account, row: StaffReason, by: Account | None, now: datetime) -> None:
    queue_mail(
        person,
        "accounts/mail/staff_act.txt",
        key=f"staff-act:{row.id}:{person.id}",
        now=now,
        by=by.handle if by is not None else None,
        act=row.act,
        thing=row.thing,
        words=row.words,
        at=now,
    )
