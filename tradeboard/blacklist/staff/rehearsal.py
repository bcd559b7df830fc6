"""Let something happen only to read the mails that it would send, then undo it."""

from sqlalchemy import func, select

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail


@dataclass(frozen=True)
class Letter:
    """A mail as its reader would see it, but for what its links are good for."""

    handle: str
    language: str
    subject: str
    body: str


class _Undone(Exception):
    """Ends a rehearsal: nothing of it stays."""


def letters_of(verb):
    """Return the mails that `verb` would send; it refuses what it would refuse."""
    letters = []
    try:
        with transaction():
            newest = db.session.scalar(select(func.max(OutboxMail.id))) or 0
            verb()
            db.session.flush()
            letters = _read(newest)
            raise _Undone
    except _Undone:
        return letters


def _read(newest):
    rows = db.session.execute(
        select(OutboxMail, Account.handle)
        .outerjoin(Account, Account.id == OutboxMail.account_id)
        .where(OutboxMail.id > newest)
        .order_by(OutboxMail.id)
    )
    return [_letter(mail, handle) for mail, handle in rows]


def _letter(mail, handle):
    subject, body = mailer.render(mail)
    return Letter(
        handle or "",
        mail.language,
        mailer.without_secrets(subject),
        mailer.without_secrets(body),
    )
