"""Find appeals, lock them, and ask which are overdue."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Integer, bindparam, exists, select
from sqlalchemy.orm import selectinload

from tradeboard.blacklist.models import (
    Appeal,
    AppealLink,
    Decision,
    Entry,
    EvidenceRequest,
)
from tradeboard.blacklist.queries.entries import lock_entry
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.entries import PUBLIC, STANDING_STATES
from tradeboard.core import prepared
from tradeboard.core.db import db, one_of
from tradeboard.core.errors import NotFound
from tradeboard.core.messages import message

BATCH = 500
UPHOLDING = ("uphold", "list")
MISSING = message("その申し立てはありません。")


def get_appeal(appeal_id: int) -> Appeal:
    """Return an appeal, or raise NotFound."""
    return _found(db.session.get(Appeal, appeal_id))


def lock_appeal(appeal_id: int) -> tuple[Appeal, Entry]:
    """Return an appeal and its entry, which nobody else changes meanwhile."""
    entry_id = db.session.scalar(select(Appeal.entry_id).where(Appeal.id == appeal_id))
    if entry_id is None:
        raise NotFound(MISSING)
    entry = lock_entry(entry_id)
    locked = select(Appeal).where(Appeal.id == appeal_id).with_for_update()
    fresh = locked.execution_options(populate_existing=True)
    return _found(db.session.scalar(fresh)), entry


def find_open_appeal(entry_id: int) -> Appeal | None:
    """Return the appeal of an entry that waits for a decision, if there is one."""
    return db.session.scalar(
        select(Appeal).where(
            Appeal.entry_id == entry_id, Appeal.state == AppealState.OPEN
        )
    )


def appeals_of(entry_id: int) -> Sequence[Appeal]:
    """Return all appeals of an entry, oldest first, with who decided them."""
    found = select(Appeal).where(Appeal.entry_id == entry_id).order_by(Appeal.id)
    return db.session.scalars(found.options(selectinload(Appeal.decided_by))).all()


def was_granted(entry_id: int) -> bool:
    """Tell whether an entry ended by an appeal."""
    granted = exists().where(
        Appeal.entry_id == entry_id, Appeal.state == AppealState.GRANTED
    )
    return bool(db.session.scalar(select(granted)))


def overdue_appeal_ids(now: datetime) -> Sequence[int]:
    """Return the appeals that have waited too long and whose entries still show."""
    overdue = select(Appeal.id).where(
        Appeal.state == AppealState.OPEN,
        Appeal.due_at <= now,
        Appeal.hidden_at.is_(None),
    )
    return db.session.scalars(
        overdue.order_by(Appeal.due_at, Appeal.id).limit(BATCH)
    ).all()


def upheld_by(entry_id: int) -> set[int]:
    """Return who stood behind an entry: by upholding it, or by listing it by hand."""
    found = select(Decision.by_id).where(
        Decision.entry_id == entry_id,
        Decision.decision.in_(UPHOLDING),
        Decision.by_id.is_not(None),
    )
    return {by_id for by_id in db.session.scalars(found) if by_id is not None}


def find_link(token_hash: str) -> AppealLink | None:
    """Return the mailed link whose token has this hash."""
    return db.session.get(AppealLink, token_hash)


def requests_to(account_id: int, entry_id: int) -> Sequence[EvidenceRequest]:
    """Return what moderators asked somebody about an entry, oldest first."""
    found = select(EvidenceRequest).where(
        EvidenceRequest.entry_id == entry_id, EvidenceRequest.to_id == account_id
    )
    return db.session.scalars(found.order_by(EvidenceRequest.id)).all()


# Asked whenever the room of a trade is shown, hence put together once.
_OPEN_QUESTION = (
    select(EvidenceRequest.entry_id)
    .join(Entry, Entry.id == EvidenceRequest.entry_id)
    .where(
        Entry.trade_id == bindparam("trade_id", type_=Integer),
        one_of(Entry.state, STANDING_STATES),
        EvidenceRequest.to_id == bindparam("account_id", type_=Integer),
        EvidenceRequest.answered_at.is_(None),
    )
    .order_by(EvidenceRequest.id)
    .limit(1)
)


def open_question(trade_id: int, account_id: int) -> int | None:
    """Return the entry about which one of the two has been asked and not answered."""
    asked = {"trade_id": trade_id, "account_id": account_id}
    found = prepared.alone(_OPEN_QUESTION, asked)
    return found[0][0] if found else None


def is_under_appeal(account_id: int) -> bool:
    """Tell whether every public entry of a person is under appeal, and there is one."""
    mine = (Entry.account_id == account_id, Entry.state.in_(PUBLIC))
    listed = exists().where(*mine)
    plain = exists().where(*mine, Entry.appealed_at.is_(None))
    return bool(db.session.scalar(select(listed & ~plain)))


def _found(appeal: Appeal | None) -> Appeal:
    if appeal is None:
        raise NotFound(MISSING)
    return appeal
