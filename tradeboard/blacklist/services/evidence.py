"""What is brought forward about an entry: words and pictures, never public."""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Appeal, Entry, Evidence, EvidenceFile
from tradeboard.blacklist.photos import Stored
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound, RuleBroken

MOST_FILES = 30


def add(
    entry: Entry,
    kind: str,
    words: str,
    files: Sequence[Stored] = (),
    *,
    by: Account,
    now: datetime,
    appeal: Appeal | None = None,
) -> Evidence:
    """Keep words and stored pictures; the two and staff see them, nobody else."""
    known = queries.named_files([file.id for file in files])
    new = [file for file in files if file.id not in known]
    if queries.file_count(entry.id, by.id) + len(new) > MOST_FILES:
        raise RuleBroken(
            "一つの記録に出せる写真は%(n)s枚までです。", field="photo", n=MOST_FILES
        )
    evidence = Evidence(
        entry_id=entry.id,
        by_id=by.id,
        at=now,
        kind=kind,
        words=words,
        appeal_id=appeal.id if appeal is not None else None,
        files=[
            EvidenceFile(id=f.id, width=f.width, height=f.height, added_at=now)
            for f in new
        ],
    )
    db.session.add(evidence)
    db.session.flush()
    return evidence


def see(file_id: str, *, by: Account) -> EvidenceFile:
    """Return a picture to the two, the person and staff; to others there is none."""
    file, evidence = queries.get_file(file_id)
    entry = queries.get_entry(evidence.entry_id)
    if not by.may(Act.SEE_PROOF) and by.id not in queries.parties_of(entry):
        raise NotFound(queries.NO_PICTURE)
    return file


def see_own(file_id: str, entry: Entry) -> EvidenceFile:
    """Return a picture that the person himself has brought forward, and no other."""
    file, evidence = queries.get_file(file_id)
    if evidence.entry_id != entry.id or evidence.by_id != entry.account_id:
        raise NotFound(queries.NO_PICTURE)
    return file
