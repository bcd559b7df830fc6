"""Find what was brought forward: pictures, and what was typed and not sent yet."""

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import selectinload

from tradeboard.blacklist.models import EntryDraft, Evidence, EvidenceFile
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.messages import message

NO_PICTURE = message("写真が見つかりません。")


def get_file(file_id: str) -> tuple[EvidenceFile, Evidence]:
    """Return a picture and what it belongs to, or raise NotFound."""
    found = db.session.execute(
        select(EvidenceFile, Evidence)
        .join(Evidence, Evidence.id == EvidenceFile.evidence_id)
        .where(EvidenceFile.id == file_id)
    ).first()
    if found is None:
        raise NotFound(NO_PICTURE)
    return found[0], found[1]


def file_count(entry_id: int, account_id: int) -> int:
    """Count the pictures that somebody has brought forward about an entry."""
    counted = select(func.count(EvidenceFile.id)).join(
        Evidence, Evidence.id == EvidenceFile.evidence_id
    )
    mine = counted.where(Evidence.entry_id == entry_id, Evidence.by_id == account_id)
    return db.session.scalar(mine) or 0


def said_count(entry_id: int, account_id: int, kind: str) -> int:
    """Count what somebody has said about an entry."""
    counted = select(func.count(Evidence.id)).where(
        Evidence.entry_id == entry_id,
        Evidence.by_id == account_id,
        Evidence.kind == kind,
    )
    return db.session.scalar(counted) or 0


def evidence_of(entry_id: int, account_id: int) -> Sequence[Evidence]:
    """Return what somebody has brought forward about an entry, in its order."""
    found = select(Evidence).where(
        Evidence.entry_id == entry_id, Evidence.by_id == account_id
    )
    return db.session.scalars(
        found.order_by(Evidence.id).options(selectinload(Evidence.files))
    ).all()


def named_files(ids: Iterable[str]) -> set[str]:
    """Return which of some pictures belong to evidence."""
    found = select(EvidenceFile.id).where(EvidenceFile.id.in_(list(ids)))
    return set(db.session.scalars(found))


def drafts_of(entry_id: int, account_id: int) -> dict[str, EntryDraft]:
    """Return what somebody has written about an entry and not sent, by its kind."""
    found = select(EntryDraft).where(
        EntryDraft.entry_id == entry_id, EntryDraft.account_id == account_id
    )
    return {draft.kind: draft for draft in db.session.scalars(found)}


def kept_files(ids: Iterable[str], kinds: Iterable[str]) -> set[str]:
    """Return which of some pictures belong to evidence or wait in a draft."""
    names = set(ids)
    drafts = select(EntryDraft.words).where(EntryDraft.kind.in_(list(kinds)))
    waiting = {row[0] for words in db.session.scalars(drafts) for row in _rows(words)}
    return named_files(names) | (names & waiting)


def _rows(words: str) -> list:
    return json.loads(words)
