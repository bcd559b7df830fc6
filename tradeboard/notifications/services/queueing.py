"""Queue mail and notices in the transaction of the change that they tell of."""

import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import insert

from tradeboard.core import prepared
from tradeboard.core.db import db
from tradeboard.core.japan import ZONE
from tradeboard.core.records import dataclass
from tradeboard.notifications import queries, rules
from tradeboard.notifications.models import Notice, OutboxMail
from tradeboard.notifications.rules import MailMode

UNBREAKABLE = {"Cc", "Zl", "Zp"}
_NOTICE, _MAIL = insert(Notice.__table__), insert(OutboxMail.__table__)


class Reader(Protocol):
    """Whoever mail can go to: an account."""

    id: int
    email_wire: str
    language: str
    time_zone: str


@dataclass(frozen=True)
class Telling:
    """What one person is told of something that has just come to be."""

    reader: Reader
    template: str
    key: str
    facts: Mapping[str, Any]


def queue_mail(
    reader: Reader, template: str, *, key: str, now: datetime, **facts: Any
) -> None:
    """Tell a person by mail and by a notice; the same key is told once.

    No change, no mail: the rows belong to the caller's transaction. Facts are plain
    values or instants, never a number, a spoken word or a postal address. A mail of a
    kind that the person has switched off, or wants daily, is a notice alone.
    """
    if not reader.email_wire or _is_queued(template, key):
        return
    if _is_unread(reader, template, now, facts):
        return
    plain = _plain(facts)
    if rules.is_noticed(template):
        db.session.add(Notice(**_notice(reader.id, template, key, plain, now)))
    if queries.mode_of(reader.id, rules.kind_of(template)) is not MailMode.NOW:
        return
    _queue(
        reader.email_wire,
        reader.language,
        template,
        key=key,
        now=now,
        facts=plain,
        account_id=reader.id,
        time_zone=reader.time_zone,
    )


def tell_first(tellings: Iterable[Telling], *, now: datetime) -> None:
    """Queue, in two statements, what nobody can switch off and nobody was told yet.

    Else as `queue_mail`: each key names a row that this transaction made.
    """
    notices, mails = [], []
    for told in tellings:
        if not told.reader.email_wire:
            continue
        reader, facts = told.reader, _plain(told.facts)
        assert rules.kind_of(told.template) is None
        if rules.is_noticed(told.template):
            notices.append(_notice(reader.id, told.template, told.key, facts, now))
        mail = _mail(reader.email_wire, reader.language, told.template, told.key, now)
        mail |= {"account_id": reader.id, "time_zone": reader.time_zone, "facts": facts}
        mails.append(mail)
    for statement, rows in ((_NOTICE, notices), (_MAIL, mails)):
        prepared.each(statement, rows)


def queue_mail_to(
    address: str,
    language: str,
    template: str,
    *,
    key: str,
    now: datetime,
    account_id: int | None = None,
    **facts: Any,
) -> bool:
    """Queue one mail to an address on the wire; an erased one gets none.

    Tell whether it was queued now, and not before under the same key.
    """
    if not address or queries.is_queued(key):
        return False
    _queue(
        address,
        language,
        template,
        key=key,
        now=now,
        facts=_plain(facts),
        account_id=account_id,
    )
    return True


def _is_queued(template: str, key: str) -> bool:
    """Tell whether this was told."""
    if queries.is_queued(key):
        return True
    # A mail that may be switched off may have been a notice alone.
    return rules.kind_of(template) is not None and queries.is_noted(key)


def _is_unread(
    reader: Reader, template: str, now: datetime, facts: Mapping[str, Any]
) -> bool:
    """Tell whether something like it was told lately and has not been read yet."""
    quiet = rules.SAID_ONCE.get(template)
    if quiet is None:
        return False
    path = rules.path_of(template, facts)
    return queries.has_unread(reader.id, template, path, since=now - quiet)


def _notice(
    account_id: int, template: str, key: str, facts: dict[str, Any], now: datetime
) -> dict[str, Any]:
    return {
        "account_id": account_id,
        "key": key,
        "template": template,
        "facts": rules.kept_facts(facts),
        "path": rules.path_of(template, facts),
        "at": now,
    }


def _queue(
    address: str,
    language: str,
    template: str,
    *,
    key: str,
    now: datetime,
    facts: dict[str, Any],
    account_id: int | None,
    time_zone: str = ZONE,
) -> None:
    mail = _mail(address, language, template, key, now)
    mail |= {"account_id": account_id, "time_zone": time_zone, "facts": facts}
    db.session.add(OutboxMail(**mail))


def _mail(
    address: str, language: str, template: str, key: str, now: datetime
) -> dict[str, Any]:
    if _is_broken(address):
        raise ValueError("a control character in an address")
    return {
        "key": key,
        "to": address,
        "language": language,
        "template": template,
        "message_id": secrets.token_hex(16),
        "queued_at": now,
        "next_try_at": now,
    }


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
    if text.isprintable():
        return False
    return any(unicodedata.category(sign) in UNBREAKABLE for sign in text)
