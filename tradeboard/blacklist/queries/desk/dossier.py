"""One entry with all that a moderator needs, both sides beside each other."""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import (
    Claim,
    Decision,
    Entry,
    Evidence,
    EvidenceFile,
    EvidenceRequest,
)
from tradeboard.blacklist.queries.appeals import appeals_of
from tradeboard.blacklist.queries.desk.devices import (
    Seen,
    devices_between,
    devices_named,
)
from tradeboard.blacklist.queries.desk.queue import claims_on, position
from tradeboard.blacklist.queries.entries import found_entry
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.terms.models import TermsVersion
from tradeboard.trades.models import Leg, Message, OfferVersion, Proof, Trade

MOST_MESSAGES = 50
MOST_ELSEWHERE = 20


@dataclass(frozen=True)
class Side:
    """One of the two: the own parcel, the entry if there is one, what was said."""

    person: Account
    leg: Leg | None
    entry: Entry | None
    messages: list[Message]
    devices: list[Seen]

    @property
    def last_message(self) -> Message | None:
        """Return what this side wrote last before the due instant."""
        return self.messages[-1] if self.messages else None

    @property
    def proofs(self) -> list[Proof]:
        """Return the photos of the own parcel."""
        return self.leg.proofs if self.leg is not None else []

    @property
    def evidence(self) -> list[Evidence]:
        """Return what was brought forward about the own entry."""
        return self.entry.evidence if self.entry is not None else []

    @property
    def pictures(self) -> list[EvidenceFile]:
        """Return the pictures among the evidence."""
        return [file for evidence in self.evidence for file in evidence.files]


@dataclass(frozen=True)
class Dossier:
    """An entry with all that a moderator needs before deciding."""

    entry: Entry
    trade: Trade | None
    terms: TermsVersion | None
    sides: list[Side]
    claim: Claim | None = None
    position: int | None = None
    elsewhere: Sequence[Entry] = ()
    requests: Sequence[EvidenceRequest] = ()
    appeals: Sequence = field(default=())

    @property
    def linked(self) -> Entry | None:
        """Return the entry of the other leg, which must be opened first."""
        others = [side.entry for side in self.sides if side.entry is not None]
        return next((e for e in others if e.id != self.entry.id), None)

    @property
    def people(self) -> list[Account]:
        """Return whom one can ask: the person, and the partner if there is one."""
        return [side.person for side in self.sides]

    @property
    def has_photos(self) -> bool:
        """Tell whether either side has brought a picture."""
        return any(side.proofs or side.pictures for side in self.sides)


def entry_for_review(entry_id: int, now: datetime) -> Dossier:
    """Return an entry with both sides of its trade beside each other."""
    found = select(Entry).where(Entry.id == entry_id)
    entry = found_entry(db.session.scalar(found.options(*_of_entry())))
    trade = _trade_of(entry)
    return Dossier(
        entry=entry,
        trade=trade,
        terms=db.session.get(TermsVersion, trade.terms_number) if trade else None,
        sides=_sides(entry, trade),
        claim=claims_on([entry.id], now).get(entry.id),
        position=position(entry, now),
        elsewhere=_elsewhere(entry),
        requests=_requests(entry.id),
        appeals=appeals_of(entry.id),
    )


def _of_entry():
    return (
        selectinload(Entry.account),
        selectinload(Entry.devices),
        selectinload(Entry.decisions).selectinload(Decision.by),
        selectinload(Entry.evidence).selectinload(Evidence.by),
        selectinload(Entry.evidence).selectinload(Evidence.files),
    )


def _trade_of(entry: Entry) -> Trade | None:
    if entry.trade_id is None:
        return None
    found = select(Trade).where(Trade.id == entry.trade_id)
    legs = selectinload(Trade.legs)
    return db.session.scalars(
        found.options(
            selectinload(Trade.poster),
            selectinload(Trade.proposer),
            legs.selectinload(Leg.proofs),
            legs.selectinload(Leg.sender),
            legs.selectinload(Leg.recipient),
            selectinload(Trade.offers).selectinload(OfferVersion.lines),
        )
    ).one()


def _sides(entry: Entry, trade: Trade | None) -> list[Side]:
    if trade is None:
        return [Side(entry.account, None, entry, [], devices_named(entry))]
    own = trade.leg_from(entry.account_id)
    other = trade.leg_from(own.recipient_id)
    found = select(Entry).where(Entry.trade_id == trade.id).options(*_of_entry())
    entries = {each.account_id: each for each in db.session.scalars(found)}
    return [
        Side(
            person=leg.sender,
            leg=leg,
            entry=entries.get(leg.sender_id),
            messages=_messages(trade, leg.sender_id),
            devices=devices_between(trade, leg.sender_id),
        )
        for leg in (own, other)
    ]


def _messages(trade: Trade, author_id: int) -> list[Message]:
    """Return what one side wrote, the newest of it, in the order of writing."""
    found = select(Message).where(
        Message.trade_id == trade.id, Message.author_id == author_id
    )
    if trade.due_at is not None:
        found = found.where(Message.sent_at < trade.due_at)
    newest = found.order_by(Message.id.desc()).limit(MOST_MESSAGES)
    return list(reversed(db.session.scalars(newest).all()))


def _elsewhere(entry: Entry) -> Sequence[Entry]:
    """Return the person's other entries with what was decided about them."""
    others = select(Entry).where(
        Entry.account_id == entry.account_id, Entry.id != entry.id
    )
    return db.session.scalars(
        others.order_by(Entry.entered_at.desc(), Entry.id)
        .limit(MOST_ELSEWHERE)
        .options(selectinload(Entry.decisions).selectinload(Decision.by))
    ).all()


def _requests(entry_id: int) -> Sequence[EvidenceRequest]:
    """Return what both were asked about an entry, oldest first."""
    asked = select(EvidenceRequest).where(EvidenceRequest.entry_id == entry_id)
    return db.session.scalars(
        asked.order_by(EvidenceRequest.id).options(
            selectinload(EvidenceRequest.to), selectinload(EvidenceRequest.by)
        )
    ).all()
