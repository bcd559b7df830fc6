"""Write to a mailbox that somebody named but that belongs to another.

The page says the same of every mailbox; only these mails differ, and each is written
at most once a day.
"""

from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Watch
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import mailbox_of
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import decoys
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.notifications import services as notifications

MAILBOX_TAKEN = (
    "このメールボックスは、先に別のアカウントで確認されています。"
    "1つのメールボックスで確認できるアカウントは1つです。"
    "そのアカウントでログインするか、別の本アドレスで登録してください。"
)
NOT_POSSIBLE = (
    "このメールボックスでは、アカウントを確認できません。"
    "別の本アドレスを使うか、お問い合わせのページから運営にお知らせください。"
)


def wrote_to_owner(
    mailbox: str, wire: str, *, account: Account, changing: bool, now: datetime
) -> bool:
    """Write to whom a mailbox belongs, if that is not `account`; tell whether it was.

    Every kind of mailbox takes the same questions, so that none is slower.
    """
    owner, watch = _whose(mailbox, account, now)
    barred = mailboxes.find_account(watch.account_id if watch else None)
    day = f"{now:%Y-%m-%d}"
    if watch is not None:
        to, language = _reach(barred, mailbox, wire, account)
        queue_once(
            to,
            language,
            "accounts/mail/mailbox_listed.txt",
            key=f"mailbox-listed:{watch.hash}:{day}",
            now=now,
            entry=_entry(watch),
            closed=barred is None or barred.closed_at is not None,
        )
    elif owner is not None:
        queue_once(
            owner.email_wire,
            owner.language,
            "accounts/mail/has_account.txt",
            key=f"has-account:{owner.id}:{day}",
            now=now,
            account_id=owner.id,
            handle=owner.handle,
            listed=owner.standing is Standing.LISTED,
            changing=changing,
        )
    return watch is not None or owner is not None


def require_free(mailbox: str, *, account: Account, now: datetime) -> None:
    """Raise Conflict if a mailbox is another's, or that of a barred person."""
    owner, watch = _whose(mailbox, account, now)
    if owner is not None:
        raise Conflict(MAILBOX_TAKEN)
    if watch is not None:
        raise Conflict(NOT_POSSIBLE)


def _whose(
    mailbox: str, account: Account, now: datetime
) -> tuple[Account | None, Watch | None]:
    """Return who else has confirmed a mailbox, and for whom else it is watched."""
    owner = queries.find_by_mailbox(mailbox)
    watch = queries.watched_mailbox(mailbox, now=now)
    if owner is not None and owner.id == account.id:
        return None, None
    if watch is not None and watch.account_id == account.id:
        watch = None
    return owner, watch


def _reach(
    barred: Account | None, mailbox: str, wire: str, account: Account
) -> tuple[str, str]:
    """Return where to write, and in which language; the stored address goes first."""
    if barred is None:
        return wire, account.language
    is_theirs = mailbox_of(barred.email_wire) == mailbox
    return barred.email_wire if is_theirs else wire, barred.language


def _entry(watch: Watch) -> str | None:
    kind, _, number = watch.cause.partition(":")
    return number if kind == "entry" else None


def queue_once(
    to: str, language: str, template: str, *, key: str, now: datetime, **facts: Any
) -> None:
    """Queue a mail; of two at once with one key, one is enough.

    One that was queued before takes as much as a new one.
    """
    with suppress(IntegrityError), db.session.begin_nested():
        if not notifications.queue_mail_to(
            to, language, template, key=key, now=now, **facts
        ):
            decoys.write(now=now)
