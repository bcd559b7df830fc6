"""Watch for the mailbox, numbers and browsers of a barred person; stop with the cause.

Whoever shares a watched browser or number is held for a while, never listed
(`services.holds`); a watched mailbox cannot be used to register again.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NotRequired, TypedDict, Unpack

from sqlalchemy import delete, insert

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Device, Watch
from tradeboard.accounts.rules.holds import Signal
from tradeboard.core.db import changed, connection, db

Value = tuple[Signal, str | None, int | None]
_WATCHES = insert(Watch.__table__)


class Signals(TypedDict):
    """What points at a person, wherever it turns up again.

    A mailbox is its keyed hash and key id, a number also has the moment from which it
    proves nothing any more; one that is past proves nothing at all.
    """

    mailbox: tuple[str, str] | None
    phones: Iterable[tuple[str, str, datetime]]
    devices: Iterable[Device]
    mailbox_until: NotRequired[datetime | None]


def watch(
    account_id: int, cause: str, *, now: datetime, **signals: Unpack[Signals]
) -> None:
    """Watch for a person under one cause; what that cause watches already stays."""
    known: set[Value] = {
        (row.signal, row.hash, row.device_id) for row in queries.watches_of_cause(cause)
    }
    rows = anew(account_id, cause, now=now, **signals)
    db.session.add_all(Watch(**row) for row in rows if _value(row) not in known)


def anew(
    account_id: int, cause: str, *, now: datetime, **signals: Unpack[Signals]
) -> list[dict[str, Any]]:
    """Return what `watch` would write for a cause that watches nothing yet."""
    found: list[tuple[Signal, str | None, str | None, int | None, datetime | None]] = [
        (Signal.PHONE, hash, kid, None, until)
        for hash, kid, until in signals["phones"]
        if until > now
    ]
    if mailbox := signals["mailbox"]:
        until = signals.get("mailbox_until")
        found.append((Signal.MAILBOX, *mailbox, None, until))
    found += [(Signal.DEVICE, None, None, one.id, None) for one in signals["devices"]]
    rows = [
        {
            "signal": signal,
            "hash": hash,
            "kid": kid,
            "device_id": device,
            "until": until,
        }
        for signal, hash, kid, device, until in found
    ]
    # Each value once, the first time that it is named.
    each = {_value(row): row for row in reversed(rows)}
    own = {"account_id": account_id, "cause": cause, "since": now}
    return [row | own for row in reversed(each.values())]


def begin_all(rows: list[dict[str, Any]]) -> None:
    """Watch for what `anew` returned, in one statement."""
    if rows:
        connection().execute(_WATCHES, rows)


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


def follow_mailboxes(people: Iterable[Account], *, now: datetime) -> None:
    """Watch for each person's mailbox under every cause that watches an older one.

    As `add_mailbox`, in one question for all of them.
    """
    by_id = {person.id: person for person in people if person.email_kid}
    watched = queries.mailboxes_watched(by_id)
    for account_id, cause in sorted({(one, cause) for one, cause, _ in watched}):
        key, kid = by_id[account_id].email_key, by_id[account_id].email_kid
        if (account_id, cause, key) not in watched:
            watch(account_id, cause, mailbox=(key, kid), phones=[], devices=[], now=now)


def _value(row: dict[str, Any]) -> Value:
    return row["signal"], row["hash"], row["device_id"]
