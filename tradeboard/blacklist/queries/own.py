"""What the person an entry is about may read of it: all that the board recorded."""

from dataclasses import field
from datetime import date, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.queries.entries import get_entry
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.terms.models import TermsVersion

INSTANTS = (
    "agreed_at",
    "phone_confirmed_at",
    "first_dispatched_at",
    "due_at",
    "dispatched_at",
    "contested_at",
    "withheld_at",
)


@dataclass(frozen=True)
class Held:
    """The snapshot of a parcel, as it was when the entry was made."""

    agreed_at: datetime | None = None
    phone_confirmed_at: datetime | None = None
    first_dispatched_at: datetime | None = None
    due_at: datetime | None = None
    dispatched_at: datetime | None = None
    contested_at: datetime | None = None
    withheld_at: datetime | None = None
    delivered_on: date | None = None
    carrier: str = ""
    tracking: str = ""
    extensions: int = 0
    terms: int | None = None
    notices: tuple[str, ...] = ()
    contents: list[dict[str, Any]] = field(default_factory=list)


def own_entry(entry_id: int) -> Entry:
    """Return an entry with all that its page shows of it."""
    get_entry(entry_id)
    return db.session.scalars(
        select(Entry)
        .where(Entry.id == entry_id)
        .options(
            selectinload(Entry.account),
            selectinload(Entry.devices),
            selectinload(Entry.decisions),
        )
    ).one()


def held_facts(entry: Entry) -> Held:
    """Return the snapshot of an entry; one by hand, or an ended one, may have none."""
    facts = entry.facts
    day = facts.get("delivered_on")
    return Held(
        **{name: _instant(facts.get(name)) for name in INSTANTS},
        delivered_on=date.fromisoformat(day) if day else None,
        carrier=facts.get("carrier") or "",
        tracking=facts.get("tracking") or "",
        extensions=facts.get("extensions") or 0,
        terms=facts.get("terms"),
        notices=tuple(facts.get("notices") or ()),
        contents=facts.get("contents") or [],
    )


def terms_of(held: Held) -> TermsVersion | None:
    """Return the version of the terms that the trade was agreed under."""
    return db.session.get(TermsVersion, held.terms) if held.terms else None


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
