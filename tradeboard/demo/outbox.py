"""Read every mail, and who could be signed in as; for the demo's page alone."""

import re
from collections.abc import Sequence

from flask import current_app
from sqlalchemy import or_, select, tuple_

from tradeboard.accounts.models import Account, Totp
from tradeboard.core import paging
from tradeboard.core.db import db
from tradeboard.core.paging import Cursor, Page
from tradeboard.core.records import dataclass
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

PAGE = 20
MOST_PEOPLE = 60
PATH = r"(/[A-Za-z0-9/_.~%?=&#+-]*)"


@dataclass(frozen=True)
class Shown:
    """A mail as its reader sees it; `parts` are pieces of text, some with a path.

    `trouble` says why the text could not be made.
    """

    mail: OutboxMail
    subject: str = ""
    parts: tuple[tuple[str, str | None], ...] = ()
    trouble: str = ""


def mails(to: str | None, after: Cursor | None) -> Page[OutboxMail]:
    """Return mails, the newest first; `to` is an address on the wire."""
    found = select(OutboxMail)
    if to:
        found = found.where(OutboxMail.to == to)
    if after is not None:
        place = tuple_(OutboxMail.queued_at, OutboxMail.id)
        found = found.where(place < (after.at, after.id))
    ordered = found.order_by(OutboxMail.queued_at.desc(), OutboxMail.id.desc())
    rows = db.session.scalars(ordered.limit(PAGE + 1)).all()
    return paging.page(rows, PAGE, at="queued_at")


def addresses() -> Sequence[str]:
    """Return whom mail has gone to."""
    known = select(OutboxMail.to).where(OutboxMail.to != "").distinct()
    return db.session.scalars(known.order_by(OutboxMail.to)).all()


def people() -> list[tuple[Account, Totp | None]]:
    """Return who is not closed, with the second factor if there is one."""
    found = (
        select(Account, Totp)
        .outerjoin(Totp, Totp.account_id == Account.id)
        .where(or_(Totp.account_id.is_(None), Totp.confirmed_at.is_not(None)))
        .where(Account.closed_at.is_(None))
        .order_by(Account.id)
        .limit(MOST_PEOPLE)
    )
    return [(account, totp) for account, totp in db.session.execute(found)]


def shown(mail: OutboxMail) -> Shown:
    """Write a mail as it would be sent; one that cannot be written says so."""
    if not mail.to:
        return Shown(mail, trouble="forgotten")
    try:
        subject, body = mailer.render(mail)
    except Exception as error:  # Whatever a template may do, the page stays.
        return Shown(mail, trouble=type(error).__name__)
    return Shown(mail, subject, tuple(with_links(body)))


def with_links(body: str) -> list[tuple[str, str | None]]:
    """Cut a text at the addresses of this board; those come with their path."""
    address = re.escape(current_app.config["PUBLIC_URL"]) + PATH
    cut = re.split(f"({address})", body)
    pieces: list[tuple[str, str | None]] = []
    for at in range(0, len(cut), 3):
        pieces.append((cut[at], None))
        if at + 2 < len(cut):
            pieces.append((cut[at + 1], cut[at + 2]))
    return [piece for piece in pieces if piece[0]]
