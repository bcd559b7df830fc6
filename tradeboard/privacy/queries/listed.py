"""Read the own entries of every state, and what the person said about any."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import (
    Appeal,
    Decision,
    Entry,
    EntryDraft,
    Evidence,
    EvidenceRequest,
)
from tradeboard.core.db import db


def entries(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the own entries, public or not, standing or ended."""
    own = select(Entry).where(Entry.account_id == owner.id).order_by(Entry.id)
    for row in db.session.scalars(own.options(selectinload(Entry.devices))):
        yield {
            "id": row.id,
            "number": row.number,
            "trade": row.trade_id,
            "handle": row.handle,
            "finding": row.finding,
            "state": row.state,
            "due_at": row.due_at,
            "entered_at": row.entered_at,
            "listed_at": row.listed_at,
            "upheld_at": row.upheld_at,
            "appealed_at": row.appealed_at,
            "ended_at": row.ended_at,
            "expires_at": row.expires_at,
            "lift_reason": row.lift_reason,
            "devices": [device.code for device in row.devices],
        }


def decisions(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what was decided about the own entries and why; not by whom."""
    own = _own_entries(owner)
    found = select(Decision).where(Decision.entry_id.in_(own)).order_by(Decision.id)
    for row in db.session.scalars(found):
        yield {
            "entry": row.entry_id,
            "at": row.at,
            "decision": row.decision,
            "reason": row.reason,
            "sentence": row.sentence,
        }


def appeals(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the own appeals and what came of them."""
    own = _own_entries(owner)
    found = select(Appeal).where(Appeal.entry_id.in_(own)).order_by(Appeal.id)
    for row in db.session.scalars(found):
        yield {
            "entry": row.entry_id,
            "words": row.words,
            "made_at": row.made_at,
            "due_at": row.due_at,
            "state": row.state,
            "decided_at": row.decided_at,
            "sentence": row.sentence,
        }


def statements(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what the person brought forward, with the names of photo files."""
    own = select(Evidence).where(Evidence.by_id == owner.id).order_by(Evidence.id)
    for row in db.session.scalars(own.options(selectinload(Evidence.files))):
        yield {
            "entry": row.entry_id,
            "at": row.at,
            "kind": row.kind,
            "words": row.words,
            "photos": [file.id for file in row.files],
        }


def requests(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what moderators asked the person to bring forward."""
    own = select(EvidenceRequest).where(EvidenceRequest.to_id == owner.id)
    for row in db.session.scalars(own.order_by(EvidenceRequest.id)):
        yield {
            "entry": row.entry_id,
            "words": row.words,
            "made_at": row.made_at,
            "due_at": row.due_at,
            "answered_at": row.answered_at,
        }


def drafts(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what the person typed about entries and has not sent."""
    own = select(EntryDraft).where(EntryDraft.account_id == owner.id)
    for row in db.session.scalars(own.order_by(EntryDraft.id)):
        yield {
            "entry": row.entry_id,
            "kind": row.kind,
            "words": row.words,
            "changed_at": row.changed_at,
        }


def _own_entries(owner: Account):
    return select(Entry.id).where(Entry.account_id == owner.id)
