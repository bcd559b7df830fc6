"""What somebody writes about the own entry before sending it."""

import json
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime

from tradeboard.blacklist import queries
from tradeboard.blacklist.models import EntryDraft
from tradeboard.blacklist.photos import Stored
from tradeboard.core.db import db
from tradeboard.core.records import dataclass

# Under which kind the pictures of a draft are kept, as a list of id and size.
PICTURES = {"appeal": "appeal pictures", "statement": "statement pictures"}


@dataclass(frozen=True)
class Draft:
    """Words and pictures that wait."""

    words: str = ""
    pictures: list[Stored] = field(default_factory=list)


def save(
    entry_id: int,
    account_id: int,
    kind: str,
    words: str,
    pictures: Sequence[Stored],
    *,
    now: datetime,
) -> None:
    """Keep what was typed and picked, as it is; it is checked when it is sent."""
    rows = json.dumps([(one.id, one.width, one.height) for one in pictures])
    known = queries.drafts_of(entry_id, account_id)
    for name, text in ((kind, words), (PICTURES[kind], rows)):
        draft = known.get(name)
        if draft is None:
            draft = EntryDraft(entry_id=entry_id, account_id=account_id, kind=name)
            db.session.add(draft)
        draft.words, draft.changed_at = text, now
    db.session.flush()


def read(entry_id: int, account_id: int, kind: str) -> Draft:
    """Return what was kept, or an empty draft."""
    known = queries.drafts_of(entry_id, account_id)
    words, rows = known.get(kind), known.get(PICTURES[kind])
    return Draft(
        words.words if words is not None else "",
        [Stored(*row) for row in json.loads(rows.words)] if rows is not None else [],
    )


def forget(entry_id: int, account_id: int, kind: str) -> None:
    """Throw a draft away: it was sent."""
    for name, draft in queries.drafts_of(entry_id, account_id).items():
        if name in (kind, PICTURES[kind]):
            db.session.delete(draft)
    db.session.flush()
