"""Let evidence go once trade, decision and entry have ended long enough ago.

What counts is kept: findings, states, instants and codes, with nothing that anybody
wrote. The files of photos go with the next cleaning.
"""

from datetime import datetime

from sqlalchemy import delete, select, update

from tradeboard.blacklist import queries as blacklist
from tradeboard.blacklist.models import (
    Appeal,
    AppealLink,
    Claim,
    Decision,
    Entry,
    EntryDraft,
    Evidence,
    EvidenceFile,
    EvidenceRequest,
)
from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict
from tradeboard.privacy.queries import due
from tradeboard.reports.models import Report
from tradeboard.trades.models import (
    Leg,
    Message,
    MessagePhoto,
    OfferVersion,
    Proof,
    Proposal,
    Trade,
)

NOT_YET = "期限はまだ過ぎていません。"


def purge_trade(trade_id: int, *, now: datetime) -> None:
    """Delete what was written, shown and brought forward in and about one trade."""
    db.session.execute(select(Trade.id).where(Trade.id == trade_id).with_for_update())
    if not due.evidence_trade_ids(now, only=trade_id):
        raise Conflict(NOT_YET)
    messages = select(Message.id).where(Message.trade_id == trade_id)
    reports = update(Report).where(Report.message_id.in_(messages))
    changed(reports.values(message_id=None))
    changed(delete(MessagePhoto).where(MessagePhoto.message_id.in_(messages)))
    changed(delete(Message).where(Message.trade_id == trade_id))
    legs = select(Leg.id).where(Leg.trade_id == trade_id)
    changed(delete(Proof).where(Proof.leg_id.in_(legs)))
    own_legs = update(Leg).where(Leg.trade_id == trade_id)
    changed(own_legs.values(tracking="", differs_words=""))
    changed(
        update(OfferVersion).where(OfferVersion.trade_id == trade_id).values(note="")
    )
    changed(update(Proposal).where(Proposal.trade_id == trade_id).values(words=""))
    for entry_id in due.entries_of_trade(trade_id):
        _purge(entry_id, now=now)


def purge_entry(entry_id: int, *, now: datetime) -> None:
    """Delete what was brought forward about an entry that no trade belongs to."""
    blacklist.lock_entry(entry_id)
    if not due.evidence_entry_ids(now, only=entry_id):
        raise Conflict(NOT_YET)
    _purge(entry_id, now=now)


def _purge(entry_id: int, *, now: datetime) -> None:
    evidence = select(Evidence.id).where(Evidence.entry_id == entry_id)
    changed(delete(EvidenceFile).where(EvidenceFile.evidence_id.in_(evidence)))
    for part in (Evidence, EvidenceRequest, EntryDraft, Claim, AppealLink):
        changed(delete(part).where(part.entry_id == entry_id))
    appeals = update(Appeal).where(Appeal.entry_id == entry_id)
    changed(appeals.values(words="", sentence=""))
    changed(update(Decision).where(Decision.entry_id == entry_id).values(sentence=""))
    entry = update(Entry).where(Entry.id == entry_id)
    changed(entry.values(handle="", facts={}, purged_at=now))
    db.session.expire_all()
