"""Mails about entries: once each, with facts, rule, proof and how to answer."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Appeal, Entry, EvidenceRequest
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import links
from tradeboard.notifications.services import Telling, queue_mail, tell_first
from tradeboard.trades.models import Leg


def tell_entered(made: Iterable[tuple[Leg, Entry]], *, now: datetime) -> None:
    """Tell of entries that were made just now, in a few statements.

    Whom they name learns how to answer, who waits for the parcel how to confirm it
    should it still come.
    """
    made = list(made)
    public = [entry for _, entry in made if entry.state is EntryState.LISTED]
    tokens = links.issue_all(public, now=now)
    told = []
    for leg, entry in made:
        if leg.sender.erased_at is None:
            told.append(_first(leg.sender, entry, tokens.get(entry.id)))
        if leg.recipient.erased_at is None:
            facts = {"leg": leg.id, "partner": leg.sender.handle}
            told.append(_told(leg.recipient, "partner_default", entry, facts))
    tell_first(told, now=now)


def _first(person: Account, entry: Entry, token: str | None) -> Telling:
    """Say that an entry is public, or waits, unseen by others, for a moderator."""
    if token is not None:
        return _told(person, "listed", entry, _listed(entry, token))
    barred = bool(entry.finding != "counterparty_in_default")
    return _told(person, "held", entry, {"list_at": entry.list_at, "barred": barred})


def tell_listed(person: Account, entry: Entry, *, now: datetime) -> None:
    """Tell a person that an entry is public now, and how to answer."""
    facts = _listed(entry, links.issue(entry, now=now))
    _tell(person, "listed", entry, now=now, **facts)


def _listed(entry: Entry, token: str) -> dict[str, Any]:
    return {
        "since": entry.listed_at,
        "reviewed": entry.upheld_at is not None,
        "expires_at": entry.expires_at,
        "token": token,
    }


def tell_upheld(
    person: Account,
    entry: Entry,
    reason: str,
    sentence: str,
    *,
    about: int | None = None,
    now: datetime,
) -> None:
    """Tell a person that a moderator let the entry stand, and why."""
    _tell(
        person,
        "upheld",
        entry,
        about=about,
        now=now,
        reason=str(wording.reason_in_words(reason)),
        words=sentence,
        expires_at=entry.expires_at,
        token=links.issue(entry, now=now),
    )


def tell_lifted(
    person: Account, entry: Entry, reason: str, sentence: str, *, now: datetime
) -> None:
    """Tell a person that an entry is gone, and why; a granted appeal told it."""
    if queries.was_granted(entry.id):
        return
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


def tell_unreviewed(person: Account, entry: Entry, *, now: datetime) -> None:
    """Tell an admin that nobody has looked at an entry in time."""
    _tell(person, "unreviewed", entry, now=now, since=entry.entered_at)


def tell_appealed(
    person: Account,
    appeal: Appeal,
    entry: Entry,
    deciders: Iterable[Account],
    *,
    now: datetime,
) -> None:
    """Tell the person until when it is decided, and who may decide that it waits."""
    facts: dict[str, Any] = {"appeal": appeal.id, "decide_by": appeal.due_at}
    token = _token(person, entry, now)
    _tell(person, "appealed", entry, about=appeal.id, now=now, token=token, **facts)
    for decider in deciders:
        _tell(decider, "appeal_waiting", entry, about=appeal.id, now=now, **facts)


def tell_decided(
    person: Account,
    appeal: Appeal,
    entry: Entry,
    *,
    now: datetime,
    reason: str | None = None,
) -> None:
    """Tell the person what was decided and why; `reason` is why an entry was lifted."""
    _tell(
        person,
        "appeal_decided",
        entry,
        about=appeal.id,
        now=now,
        granted=reason is not None,
        token="" if reason is not None else _token(person, entry, now),
        reason=str(wording.reason_in_words(reason)) if reason is not None else "",
        words=appeal.sentence,
        expires_at=entry.expires_at,
    )


def tell_overdue(
    person: Account,
    appeal: Appeal,
    entry: Entry,
    admins: Iterable[Account],
    *,
    now: datetime,
) -> None:
    """Tell the person that the facts are hidden meanwhile, and each admin once."""
    facts: dict[str, Any] = {"appeal": appeal.id, "decide_by": appeal.due_at}
    token = _token(person, entry, now)
    _tell(
        person, "appeal_overdue", entry, about=appeal.id, now=now, token=token, **facts
    )
    for admin in admins:
        _tell(admin, "appeal_red", entry, about=appeal.id, now=now, **facts)


def tell_asked(request: EvidenceRequest, entry: Entry, *, now: datetime) -> None:
    """Tell one of the two what a moderator asks for, and until when."""
    _tell(
        accounts.get_account(request.to_id),
        "asked",
        entry,
        about=request.id,
        now=now,
        own=request.to_id == entry.account_id,
        words=request.words,
        answer_by=request.due_at,
    )


def _token(person: Account, entry: Entry, now: datetime) -> str:
    """Return a link's token for whoever cannot sign in any more, else nothing."""
    return links.issue(entry, now=now) if person.closed_at is not None else ""


def _tell(
    person: Account,
    mail: str,
    entry: Entry,
    *,
    about: int | None = None,
    now: datetime,
    **facts: Any,
) -> None:
    """Queue a mail; whoever has been erased has no address any more."""
    if person.erased_at is None:
        told = _told(person, mail, entry, facts, about=about)
        queue_mail(person, told.template, key=told.key, now=now, **told.facts)


def _told(
    person: Account,
    mail: str,
    entry: Entry,
    facts: dict[str, Any],
    *,
    about: int | None = None,
) -> Telling:
    subject = entry.id if about is None else f"{entry.id}:{about}"
    known = {
        "entry": entry.id,
        "trade": entry.trade_id,
        "finding": entry.finding.value,
        "finding_words": str(wording.sentence(entry.finding)),
        "due_at": entry.due_at,
    }
    key = f"entry-{mail}:{subject}:{person.id}"
    return Telling(person, f"blacklist/mail/{mail}.txt", key, known | facts)
