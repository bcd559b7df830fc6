"""Watch for the mailbox, numbers and browsers of a barred person; stop with the cause.

Whoever shares a watched browser or number is held for a while, never listed
(`services.holds`); a watched mailbox cannot be used to register again.
"""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete

from tradeboard.accounts import queries
from tradeboard.accounts.models import Device, Watch
from tradeboard.accounts.rules.holds import Signal
from tradeboard.core.db import changed, db


def watch(
    account_id: int,
    cause: str,
    *,
    mailbox: tuple[str, str] | None,
    phones: Iterable[tuple[str, str, datetime]],
    devices: Iterable[Device],
    mailbox_until: datetime | None = None,
    now: datetime,
) -> None:
    """Watch for a person under one cause; what that cause watches already stays.

    A mailbox is its keyed hash and key id, a number also has the moment from which it
    proves nothing any more; one that is past proves nothing at all.
    """
    rows = [
        Watch(signal=Signal.PHONE, hash=hash, kid=kid, until=until)
        for hash, kid, until in phones
        if until > now
    ]
    if mailbox is not None:
        hash, kid = mailbox
        rows.append(
            Watch(signal=Signal.MAILBOX, hash=hash, kid=kid, until=mailbox_until)
        )
    for device in devices:
        rows.append(Watch(signal=Signal.DEVICE, device_id=device.id))
    known = {_value(row) for row in queries.watches_of_cause(cause)}
    for row in rows:
        if _value(row) not in known:
            row.account_id, row.cause, row.since = account_id, cause, now
            db.session.add(row)
            known.add(_value(row))
    db.session.flush()


def end(cause: str) -> None:
    """Stop watching for one cause; others go on."""
    changed(delete(Watch).where(Watch.cause == cause))


def add_mailbox(account_id: int, hash: str, kid: str, *, now: datetime) -> None:
    """Watch a barred person's new mailbox under every cause that watches an old one.

    An erased account has no mailbox, and so no key.
    """
    if not kid:
        return
    for cause in queries.mailbox_causes(account_id):
        watch(account_id, cause, mailbox=(hash, kid), phones=[], devices=[], now=now)


def _value(row: Watch) -> tuple[Signal, str | None, int | None]:
    return row.signal, row.hash, row.device_id
