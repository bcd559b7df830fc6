"""What becomes of queued mail: claimed, sent, tried again, given up, emptied."""

from datetime import datetime

from sqlalchemy import update

from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict
from tradeboard.notifications import queries, rules
from tradeboard.notifications.models import OutboxMail
from tradeboard.notifications.services.queueing import Reader

LONGEST_ERROR = 300


def claim(mail_id: int, *, now: datetime) -> OutboxMail | None:
    """Take a mail whose try has come, for two minutes; None if another took it.

    What is returned belongs to no session: it is sent after the claim is committed.
    """
    due = (OutboxMail.next_try_at <= now, *queries.WAITING)
    taken = changed(
        update(OutboxMail)
        .where(OutboxMail.id == mail_id, *due)
        .values(next_try_at=now + rules.CLAIM, tries=OutboxMail.tries + 1)
    )
    if not taken:
        return None
    mail = db.session.get_one(OutboxMail, mail_id, populate_existing=True)
    db.session.expunge(mail)
    return mail


def mark_sent(mail_id: int, *, now: datetime) -> None:
    """Note that the server has taken a mail."""
    mail = queries.get_mail(mail_id)
    mail.sent_at = now
    mail.error = None


def mark_failed(
    mail_id: int, error: str, *, now: datetime, for_good: bool = False
) -> None:
    """Note why a mail did not leave; it is tried again, or given up."""
    mail = queries.get_mail(mail_id)
    if mail.sent_at is not None:
        return
    mail.error = " ".join(error.split())[:LONGEST_ERROR]
    again = None if for_good else rules.next_try(mail.tries, now)
    if again is None:
        mail.dead_at = now
    else:
        mail.next_try_at = again


def retry(mail_id: int, *, now: datetime) -> OutboxMail:
    """Let a mail that did not leave be tried again from the start, at once."""
    mail = queries.get_mail(mail_id)
    if mail.sent_at is not None:
        raise Conflict("このメールは、すでに送信されています。")
    if not mail.to:
        raise Conflict("このメールの内容は、保存期間が過ぎたため残っていません。")
    mail.dead_at = None
    mail.tries = 0
    mail.next_try_at = now
    return mail


def forget_text(mail_id: int, *, now: datetime) -> None:
    """Empty an old mail; its key stays, so that nothing is told twice."""
    mail = queries.get_mail(mail_id)
    mail.to = ""
    mail.facts = {}


def forget_mails_to(reader: Reader, *, now: datetime) -> None:
    """Empty every mail to a person; what has not left stays unsent."""
    theirs = (OutboxMail.account_id == reader.id, OutboxMail.to != "")
    unnamed = (
        OutboxMail.account_id.is_(None),
        OutboxMail.to == reader.email_wire,
        OutboxMail.to != "",
    )
    for conditions in (theirs, unnamed):
        unsent = update(OutboxMail).where(*conditions, *queries.WAITING)
        changed(unsent.values(dead_at=now))
        changed(update(OutboxMail).where(*conditions).values(to="", facts={}))
