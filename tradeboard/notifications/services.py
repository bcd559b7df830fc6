"""Queue mail: in the transaction of the change that it tells of."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import select

from tradeboard.core.db import db
from tradeboard.notifications.models import OutboxMail


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
    """Queue one mail to an address on the wire."""
    if _is_queued(key):
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
    return {
        name: {"instant": value.isoformat()} if isinstance(value, datetime) else value
        for name, value in facts.items()
    }
