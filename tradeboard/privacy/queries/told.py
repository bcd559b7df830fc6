"""Read what the person is told, and what was begun in forms and not sent."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.drafts import FormDraft
from tradeboard.notifications.models import MailChoice, Notice


def notices(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield which notices the person got."""
    own = select(Notice).where(Notice.account_id == owner.id).order_by(Notice.id)
    for row in db.session.scalars(own.execution_options(yield_per=1000)):
        yield {
            "notice": row.template,
            "page": row.path,
            "at": row.at,
            "read_at": row.read_at,
        }


def mail_choices(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield how the person wants the mails that may be switched off."""
    own = select(MailChoice).where(MailChoice.account_id == owner.id)
    for row in db.session.scalars(own.order_by(MailChoice.kind)):
        yield {"kind": row.kind, "mode": row.mode, "changed_at": row.changed_at}


def form_drafts(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what the person typed into forms and has not sent."""
    own = select(FormDraft).where(FormDraft.account_id == owner.id)
    ordered = own.order_by(FormDraft.kind, FormDraft.object_number)
    for row in db.session.scalars(ordered):
        yield {
            "kind": row.kind,
            "object": row.object_number,
            "fields": row.fields,
            "changed_at": row.changed_at,
        }
