"""Read the own account for its person: names, agreements, what barred it, mails."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, Hold, Restriction
from tradeboard.core.db import db
from tradeboard.notifications.models import OutboxMail
from tradeboard.terms.models import Agreement


def account(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the account itself; not its secrets."""
    columns = (
        "id handle email email_wire email_confirmed_at role standing language"
        " time_zone prefecture shows_cards created_at completed_count partner_count"
        " on_time_count ended_count late_count cancelled_count good_count"
        " fair_count bad_count"
    )
    yield {name: getattr(owner, name) for name in columns.split()}


def handles(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the present name and the former ones."""
    for name in accounts.names_of(owner.id):
        yield {"handle": name.shown, "since": name.since, "current": name.current}


def agreements(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the versions of the terms that were agreed to."""
    found = select(Agreement).where(Agreement.account_id == owner.id)
    for row in db.session.scalars(found.order_by(Agreement.number)):
        yield {"version": row.number, "agreed_at": row.agreed_at}


def restrictions(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what bars the account now, and what did."""
    found = select(Restriction).where(Restriction.account_id == owner.id)
    for row in db.session.scalars(found.order_by(Restriction.id)):
        yield {
            "cause": row.cause,
            "standing": row.standing,
            "since": row.since,
            "until": row.until,
            "ended_at": row.ended_at,
        }


def holds(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the own holds without whom they concern; notes of moderators are none."""
    own = select(Hold).where(Hold.account_id == owner.id, Hold.until.is_not(None))
    for row in db.session.scalars(own.order_by(Hold.id)):
        yield {
            "id": row.id,
            "kind": row.signal,
            "since": row.made_at,
            "until": row.until,
            "statement": row.statement,
            "stated_at": row.stated_at,
            "decision": row.decision,
            "decided_at": row.decided_at,
            "ended_at": row.ended_at,
        }


def mails(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield which mails were queued for the person, while their text is kept."""
    found = select(OutboxMail).where(
        OutboxMail.account_id == owner.id, OutboxMail.to != ""
    )
    for row in db.session.scalars(found.order_by(OutboxMail.id)):
        yield {
            "mail": row.template,
            "to": row.to,
            "queued_at": row.queued_at,
            "sent_at": row.sent_at,
        }
