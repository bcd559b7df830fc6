"""Mails about entries: once each, with facts, rule, proof and how to answer."""

from datetime import datetime
from typing import Any

from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import wording
from tradeboard.notifications.services import queue_mail
from tradeboard.trades.models import Leg


def tell_listed(person: Account, entry: Entry, *, now: datetime) -> None:
    """Tell a person that an entry is public now, and how to answer."""
    _tell(person, "listed", entry, now=now, since=entry.listed_at)


def tell_held(person: Account, entry: Entry, *, now: datetime) -> None:
    """Tell a person that an entry waits, unseen by others, for a moderator."""
    _tell(
        person,
        "held",
        entry,
        now=now,
        list_at=entry.list_at,
        barred=bool(entry.finding != "counterparty_in_default"),
    )


def tell_upheld(
    person: Account, entry: Entry, reason: str, sentence: str, *, now: datetime
) -> None:
    """Tell a person that a moderator let the entry stand, and why."""
    _tell(
        person,
        "upheld",
        entry,
        now=now,
        reason=str(wording.reason_in_words(reason)),
        words=sentence,
        expires_at=entry.expires_at,
    )


def tell_lifted(
    person: Account, entry: Entry, reason: str, sentence: str, *, now: datetime
) -> None:
    """Tell a person that an entry is gone, and why."""
    _tell(
        person,
        "lifted",
        entry,
        now=now,
        reason=str(wording.reason_in_words(reason)),
        words=sentence,
    )


def tell_expired(person: Account, entry: Entry, *, now: datetime) -> None:
    """Tell a person that an entry has had its time."""
    _tell(person, "expired", entry, now=now)


def tell_partner(leg: Leg, entry: Entry, *, now: datetime) -> None:
    """Tell the recipient of a missing parcel how to confirm it should it still come."""
    _tell(
        leg.recipient,
        "partner_default",
        entry,
        now=now,
        leg=leg.id,
        partner=leg.sender.handle,
    )


def tell_unreviewed(person: Account, entry: Entry, *, now: datetime) -> None:
    """Tell an admin that nobody has looked at an entry in time."""
    _tell(person, "unreviewed", entry, now=now, since=entry.entered_at)


def _tell(
    person: Account, mail: str, entry: Entry, *, now: datetime, **facts: Any
) -> None:
    queue_mail(
        person,
        f"blacklist/mail/{mail}.txt",
        key=f"entry-{mail}:{entry.id}:{person.id}",
        now=now,
        entry=entry.id,
        trade=entry.trade_id,
        finding=entry.finding.value,
        finding_words=str(wording.sentence(entry.finding)),
        due_at=entry.due_at,
        **facts,
    )
