"""Read the outbox, notices, and how people want their mail."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Integer, String, bindparam, exists, func, select

from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.paging import Cursor
from tradeboard.notifications.models import DigestMark, MailChoice, Notice, OutboxMail
from tradeboard.notifications.rules import (
    OPTIONAL,
    TEXT_IS_KEPT,
    Kind,
    MailMode,
    due_since,
    is_late,
)

# Asked with every mail and notice, hence put together once.
_KEY = bindparam("key", type_=String)
_MAIL_OF = select(OutboxMail.id).where(OutboxMail.key == _KEY)
_NOTICE_OF = select(Notice.id).where(Notice.key == _KEY)
WAITING = (OutboxMail.sent_at.is_(None), OutboxMail.dead_at.is_(None))

MOST_COUNTED = 100


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


def late_by(now: datetime) -> timedelta | None:
    """Return how long the oldest mail has waited, or None while none is late."""
    since = oldest_waiting_since()
    return now - since if since is not None and is_late(since, now) else None


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


def is_queued(key: str) -> bool:
    """Tell whether a mail was queued under this key, whatever became of it."""
    return db.session.scalar(_MAIL_OF, {"key": key}) is not None


def is_noted(key: str) -> bool:
    """Tell whether a notice was given under this key."""
    return db.session.scalar(_NOTICE_OF, {"key": key}) is not None


def has_unread(account_id: int, template: str, path: str, *, since: datetime) -> bool:
    """Tell whether a like notice was given lately and has not been read."""
    found = select(Notice.id).where(
        Notice.account_id == account_id,
        Notice.read_at.is_(None),
        Notice.template == template,
        Notice.path == path,
        Notice.at > since,
    )
    return db.session.scalar(found.limit(1)) is not None


def get_notice_of(account_id: int, notice_id: int) -> Notice:
    """Return a notice of one's own, or raise NotFound."""
    notice = db.session.get(Notice, notice_id)
    if notice is None or notice.account_id != account_id:
        raise NotFound("この新着は見つかりません。")
    return notice


def notices_of(
    account_id: int, *, after: Cursor | None = None, limit: int = 25
) -> Sequence[Notice]:
    """Return a person's notices, newest first, or those that follow a cursor."""
    found = select(Notice).where(Notice.account_id == account_id)
    if after is not None:
        found = found.where(Notice.id < after.id)
    return db.session.scalars(found.order_by(Notice.id.desc()).limit(limit)).all()


def unread_count(account_id: int) -> int:
    """Return how many notices are unread, counted up to a hundred."""
    return db.session.scalar(UNREAD, {"account_id": account_id}) or 0


# Asked on every page, hence put together once; the gap is `account_id`.
UNREAD = select(func.count()).select_from(
    select(Notice.id)
    .where(
        Notice.account_id == bindparam("account_id", type_=Integer),
        Notice.read_at.is_(None),
    )
    .limit(MOST_COUNTED)
    .subquery()
)


def old_notice_ids(before: datetime, *, limit: int) -> Sequence[int]:
    """Return notices given up to a moment, oldest first."""
    found = select(Notice.id).where(Notice.at <= before)
    return db.session.scalars(found.order_by(Notice.at, Notice.id).limit(limit)).all()


def modes_of(account_id: int) -> dict[Kind, MailMode]:
    """Return how a person wants each kind of mail that may be switched off."""
    chosen = select(MailChoice.kind, MailChoice.mode).where(
        MailChoice.account_id == account_id
    )
    modes = {kind: mode for kind, mode in db.session.execute(chosen)}
    return {kind: modes.get(kind, MailMode.NOW) for kind in Kind}


def mode_of(account_id: int, kind: Kind | None) -> MailMode:
    """Return how a mail of a kind comes; what may not be switched off, at once."""
    if kind is None:
        return MailMode.NOW
    choice = db.session.get(MailChoice, (account_id, kind.value))
    return choice.mode if choice else MailMode.NOW


def daily_kinds(account_id: int) -> list[Kind]:
    """Return the kinds that come with a person's daily mail."""
    modes = modes_of(account_id)
    return [kind for kind, mode in modes.items() if mode is MailMode.DAILY]


def for_digest(account_id: int, *, after: int) -> list[Notice]:
    """Return what the daily mail has not told and nobody has read, newest first.

    What came at once before the choice was made was told then.
    """
    chosen = select(MailChoice).where(
        MailChoice.account_id == account_id, MailChoice.mode == MailMode.DAILY
    )
    since = {choice.kind: choice.changed_at for choice in db.session.scalars(chosen)}
    templates = [template for template, kind in OPTIONAL.items() if kind in since]
    unread = select(Notice).where(
        Notice.account_id == account_id,
        Notice.read_at.is_(None),
        Notice.id > after,
        Notice.template.in_(templates),
    )
    found = db.session.scalars(unread.order_by(Notice.id.desc())).all()
    return [n for n in found if n.at >= since[OPTIONAL[n.template]]]


def readers_of_digests(
    now: datetime, *, after: int = 0, limit: int = 200
) -> Sequence[int]:
    """Return whose daily mail of today is due, in the order of their ids."""
    told = exists().where(
        DigestMark.account_id == MailChoice.account_id,
        DigestMark.told_at >= due_since(now),
    )
    found = select(MailChoice.account_id).where(
        MailChoice.mode == MailMode.DAILY, MailChoice.account_id > after, ~told
    )
    ordered = found.distinct().order_by(MailChoice.account_id)
    return db.session.scalars(ordered.limit(limit)).all()
