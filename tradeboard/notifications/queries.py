"""Read the outbox."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.notifications.models import OutboxMail
from tradeboard.notifications.rules import TEXT_IS_KEPT

WAITING = (OutboxMail.sent_at.is_(None), OutboxMail.dead_at.is_(None))


def get_mail(mail_id: int) -> OutboxMail:
    """Return one mail, or raise NotFound."""
    mail = db.session.get(OutboxMail, mail_id)
    if mail is None:
        raise NotFound("このメールは見つかりません。")
    return mail


def due_ids(now: datetime, *, limit: int = 200) -> Sequence[int]:
    """Return the mails whose next try has come, the longest waiting first."""
    due = select(OutboxMail.id).where(*WAITING, OutboxMail.next_try_at <= now)
    ordered = due.order_by(OutboxMail.next_try_at, OutboxMail.id)
    return db.session.scalars(ordered.limit(limit)).all()


def waiting(*, limit: int = 100) -> Sequence[OutboxMail]:
    """Return mails that have not left yet, the next one first."""
    found = select(OutboxMail).where(*WAITING)
    ordered = found.order_by(OutboxMail.next_try_at, OutboxMail.id)
    return db.session.scalars(ordered.limit(limit)).all()


def dead(now: datetime, *, limit: int = 100) -> Sequence[OutboxMail]:
    """Return the mails that were given up while their text is kept, oldest first."""
    found = select(OutboxMail).where(
        OutboxMail.dead_at.is_not(None),
        OutboxMail.sent_at.is_(None),
        OutboxMail.queued_at > now - TEXT_IS_KEPT,
    )
    ordered = found.order_by(OutboxMail.queued_at, OutboxMail.id)
    return db.session.scalars(ordered.limit(limit)).all()


def newest(*, limit: int = 50) -> Sequence[OutboxMail]:
    """Return the mails queued last, whatever became of them."""
    found = select(OutboxMail).order_by(
        OutboxMail.queued_at.desc(), OutboxMail.id.desc()
    )
    return db.session.scalars(found.limit(limit)).all()


def oldest_waiting_since(*, limit: int = 100) -> datetime | None:
    """Return since when the longest waiting of the next mails has been queued."""
    return min((mail.queued_at for mail in waiting(limit=limit)), default=None)


def old_text_ids(now: datetime, *, limit: int = 500) -> Sequence[int]:
    """Return mails whose text has been kept long enough and is still there.

    Only those queued within one more period are looked at: older ones were emptied.
    """
    until = now - TEXT_IS_KEPT
    found = select(OutboxMail.id).where(
        OutboxMail.queued_at <= until,
        OutboxMail.queued_at > until - TEXT_IS_KEPT,
        OutboxMail.to != "",
        OutboxMail.sent_at.is_not(None) | OutboxMail.dead_at.is_not(None),
    )
    ordered = found.order_by(OutboxMail.queued_at, OutboxMail.id)
    return db.session.scalars(ordered.limit(limit)).all()
