"""Queue mail in the transaction of the change that it tells of; note its fate."""

import secrets
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import select, update

from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict
from tradeboard.notifications import queries, rules
from tradeboard.notifications.models import OutboxMail

UNBREAKABLE = {"Cc", "Zl", "Zp"}
LONGEST_ERROR = 300


class Reader(Protocol):
    """Whoever mail can go to: an account."""

    id: int
    email_wire: str
    language: str


def queue_mail(
    reader: Reader, template: str, *, key: str, now: datetime, **facts: Any
) -> None:
    """Queue one mail to a person; the same key is told once, whatever happens.

    No change, no mail: the row belongs to the caller's transaction. Facts are plain
    values or instants, never a number, a spoken word or a postal address.
    """
    queue_mail_to(
        reader.email_wire,
        reader.language,
        template,
        key=key,
        now=now,
        account_id=reader.id,
        **facts,
    )


def queue_mail_to(
    address: str,
    language: str,
    template: str,
    *,
    key: str,
    now: datetime,
    account_id: int | None = None,
    **facts: Any,
) -> None:
    """Queue one mail to an address on the wire; an erased one gets none."""
    if _is_broken(address):
        raise ValueError("a control character in an address")
    if not address or _is_queued(key):
        return
    db.session.add(
        OutboxMail(
            key=key,
            account_id=account_id,
            to=address,
            language=language,
            template=template,
            facts=_plain(facts),
            message_id=secrets.token_hex(16),
            queued_at=now,
            next_try_at=now,
        )
    )


def _is_queued(key: str) -> bool:
    return (
        db.session.scalar(select(OutboxMail.id).where(OutboxMail.key == key))
        is not None
    )


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Turn instants into `{"instant": ISO}`, which the mailer turns back."""
    return {name: _plain_value(value) for name, value in facts.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"instant": value.isoformat()}
    if isinstance(value, str) and _is_broken(value):
        return "".join(" " if _is_broken(sign) else sign for sign in value)
    return value


def _is_broken(text: str) -> bool:
    return any(unicodedata.category(sign) in UNBREAKABLE for sign in text)


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
