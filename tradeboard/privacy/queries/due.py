"""Ask what has been kept long enough; a bounded number at a time."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, exists, or_, select, union

from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import Appeal, Decision, Entry
from tradeboard.core.db import db
from tradeboard.privacy.rules.retention import CLOSED_KEPT, EVIDENCE_KEPT
from tradeboard.trades.models import Leg, Message, OfferVersion, Proof, Proposal, Trade
from tradeboard.trades.rules.states import RUNNING

BATCH = 200


def closed_account_ids(now: datetime, limit: int = BATCH) -> Sequence[int]:
    """Return the accounts closed 30 days ago in whose trades nothing runs."""
    own = or_(Trade.poster_id == Account.id, Trade.proposer_id == Account.id)
    found = (
        select(Account.id)
        .where(
            Account.closed_at <= now - CLOSED_KEPT,
            Account.erased_at.is_(None),
            ~exists().where(own, Trade.state.in_(RUNNING)),
        )
        .order_by(Account.closed_at, Account.id)
    )
    return db.session.scalars(found.limit(limit)).all()


def remaining_account_ids(now: datetime, limit: int = BATCH) -> Sequence[int]:
    """Return erased accounts of which an entry, ended since, still has the name."""
    found = (
        select(Entry.account_id)
        .join(Account, Account.id == Entry.account_id)
        .where(
            Account.erased_at <= now, Entry.ended_at.is_not(None), Entry.handle != ""
        )
        .distinct()
        .order_by(Entry.account_id)
    )
    return db.session.scalars(found.limit(limit)).all()


def evidence_trade_ids(
    now: datetime, *, only: int | None = None, limit: int = BATCH
) -> Sequence[int]:
    """Return trades with evidence that nothing needs any more, oldest first."""
    limit_at = now - EVIDENCE_KEPT
    needed = exists().where(Entry.trade_id == Trade.id, _is_needed(limit_at))
    found = select(Trade.id).where(Trade.ended_at <= limit_at, ~needed)
    if only is not None:
        found = found.where(Trade.id == only)
    found = found.where(Trade.id.in_(_with_evidence()))
    return db.session.scalars(
        found.order_by(Trade.ended_at, Trade.id).limit(limit)
    ).all()


def evidence_entry_ids(
    now: datetime, *, only: int | None = None, limit: int = BATCH
) -> Sequence[int]:
    """Return entries without a trade whose evidence nothing needs any more."""
    found = select(Entry.id).where(
        Entry.trade_id.is_(None),
        Entry.purged_at.is_(None),
        ~_is_needed(now - EVIDENCE_KEPT),
    )
    if only is not None:
        found = found.where(Entry.id == only)
    return db.session.scalars(found.order_by(Entry.ended_at).limit(limit)).all()


def entries_of_trade(trade_id: int) -> Sequence[int]:
    """Return the entries that a trade led to."""
    found = select(Entry.id).where(Entry.trade_id == trade_id)
    return db.session.scalars(found.order_by(Entry.id)).all()


def _is_needed(limit_at: datetime):
    """Tell of an entry that has not ended, or was decided about, long enough ago."""
    decided = exists().where(Decision.entry_id == Entry.id, Decision.at > limit_at)
    appealed = exists().where(
        Appeal.entry_id == Entry.id,
        or_(Appeal.decided_at.is_(None), Appeal.decided_at > limit_at),
    )
    return or_(Entry.ended_at.is_(None), Entry.ended_at > limit_at, decided, appealed)


def _with_evidence():
    """Return the trades that anything is left of."""
    left = or_(Leg.tracking != "", Leg.differs_words != "")
    return union(
        select(Message.trade_id),
        select(Leg.trade_id).where(or_(left, exists().where(Proof.leg_id == Leg.id))),
        select(OfferVersion.trade_id).where(OfferVersion.note != ""),
        select(Proposal.trade_id).where(Proposal.words != ""),
        select(Entry.trade_id).where(
            and_(Entry.trade_id.is_not(None), Entry.purged_at.is_(None))
        ),
    )
