"""Read the audit log, and check that nobody changed it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, pairwise

from sqlalchemy import func, select

from tradeboard.audit.models import AuditHead, AuditRow
from tradeboard.audit.rules import Anchor, Broken, Facts, Head, Link, Walk, Wrong
from tradeboard.core import heartbeat, keyring
from tradeboard.core.db import db
from tradeboard.core.records import dataclass

AT_ONCE = 1000
FACTS = (
    AuditRow.seq,
    AuditRow.at,
    AuditRow.actor_id,
    AuditRow.action,
    AuditRow.object,
    AuditRow.body,
)


@dataclass(frozen=True)
class Verified:
    """How far the log is whole: to which number, how many rows, against what.

    `unchained` rows are older than the chain; `unreadable` lines of the anchors are
    not whole.
    """

    seq: int
    hash: str
    rows: int
    unchained: int
    anchors: int = 0
    unreadable: int = 0
    broken: Broken | None = None


def rows_about(
    object: str, *, but: str | None = None, limit: int = 100
) -> Sequence[AuditRow]:
    """Return what was recorded about one thing, oldest first, but for one action."""
    found = select(AuditRow).where(AuditRow.object == object).order_by(AuditRow.seq)
    if but is not None:
        found = found.where(AuditRow.action != but)
    return db.session.scalars(found.limit(limit)).all()


def rows_of(
    object: str, action: str, *, before: int | None = None, limit: int = 50
) -> Sequence[AuditRow]:
    """Return how often one thing happened to another, newest first."""
    found = select(AuditRow).where(AuditRow.object == object, AuditRow.action == action)
    if before is not None:
        found = found.where(AuditRow.seq < before)
    return db.session.scalars(found.order_by(AuditRow.seq.desc()).limit(limit)).all()


def newest(
    *,
    before: int | None = None,
    object: str | None = None,
    actor_id: int | None = None,
    limit: int = 50,
) -> Sequence[AuditRow]:
    """Return the newest rows, or those before a number; of one thing, of one person."""
    found = select(AuditRow).order_by(AuditRow.seq.desc()).limit(limit)
    if before is not None:
        found = found.where(AuditRow.seq < before)
    if object is not None:
        found = found.where(AuditRow.object == object)
    if actor_id is not None:
        found = found.where(AuditRow.actor_id == actor_id)
    return db.session.scalars(found).all()


def head() -> Head | None:
    """Return the last link of the chain; None if somebody removed it."""
    row = db.session.execute(select(AuditHead.seq, AuditHead.hash)).first()
    return Head(*row) if row else None


def hash_at(seq: int) -> str | None:
    """Return the hash of one row."""
    return db.session.scalar(select(AuditRow.hash).where(AuditRow.seq == seq))


def acted_since(seq: int, account_ids: Collection[int]) -> bool:
    """Tell whether one of these people did anything after a row."""
    found = select(AuditRow.seq).where(
        AuditRow.seq > seq, AuditRow.actor_id.in_(account_ids)
    )
    return db.session.scalar(found.limit(1)) is not None


def verify(anchors: Iterable[Anchor | None] = ()) -> Verified:
    """Check every row, the head, and whether the log still holds the anchors.

    Rows that come in meanwhile are left for the next time.
    """
    top = select(func.max(AuditRow.seq)).scalar_subquery()
    found = db.session.execute(select(AuditHead.seq, AuditHead.hash, top)).first()
    if found is None:
        return Verified(0, "", 0, 0, broken=Broken(0, Wrong.HEAD))
    walk = Walk(Head(found[0], found[1]), cache(_key))
    broken = _along(walk, found[2] or 0)
    verified = Verified(walk.seq, walk.hash, walk.rows, walk.unchained, broken=broken)
    return verified if broken else _against(verified, anchors)


def first_lost(anchors: Sequence[Anchor], top: int) -> Broken | None:
    """Return the first of some anchors that the log does not hold."""
    seqs = {anchor.seq for anchor in anchors}
    found = select(AuditRow.seq, AuditRow.hash).where(AuditRow.seq.in_(seqs))
    hashes = {row.seq: row.hash for row in db.session.execute(found)}
    for anchor in sorted(anchors, key=lambda anchor: anchor.seq):
        if anchor.seq > top:
            return Broken(top + 1, Wrong.OLDER)
        if hashes.get(anchor.seq) != anchor.hash:
            return Broken(anchor.seq, Wrong.REPLACED)
    return None


def _along(walk: Walk, top: int) -> Broken | None:
    """Go along the chain; return where it breaks."""
    for row, following in pairwise(chain(_links(top), (None,))):
        if row is not None and (broken := walk.step(row, following)):
            return broken
    return walk.end()


def _links(top: int) -> Iterator[Link]:
    """Return the rows in the order of their numbers, some at a time."""
    seq: int | None = -(2**31)
    while seq is not None:
        heartbeat.beat()
        found = (
            select(*FACTS, AuditRow.kid, AuditRow.prev_hash, AuditRow.hash)
            .where(AuditRow.seq > seq, AuditRow.seq <= top)
            .order_by(AuditRow.seq)
            .limit(AT_ONCE)
        )
        seq = None
        for row in db.session.execute(found).all():
            seq = row.seq
            yield Link(Facts(*row[:6]), *row[6:])


def _against(verified: Verified, anchors: Iterable[Anchor | None]) -> Verified:
    """Compare the log with what was its last row at some moments."""
    known = unreadable = 0
    broken, lines = None, iter(anchors)
    while broken is None and (some := list(islice(lines, AT_ONCE))):
        heartbeat.beat()
        whole = [anchor for anchor in some if anchor]
        known, unreadable = known + len(whole), unreadable + len(some) - len(whole)
        broken = first_lost(whole, verified.seq)
    return Verified(
        verified.seq,
        verified.hash,
        verified.rows,
        verified.unchained,
        known,
        unreadable,
        broken,
    )


def _key(kid: str) -> bytes | None:
    return keyring.key("audit", kid) if keyring.knows("audit", kid) else None
