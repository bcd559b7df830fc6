"""Record what somebody did; the rows are chained when the transaction ends.

What is recorded waits in the session. Just before the commit everything else is
flushed, then the head of the chain is locked, the rows are appended and the head moves
on. So the head is the last lock of every transaction, and held for a moment only.
Whoever reads the log through the models in the same transaction finds the rows there.
"""

from collections.abc import Iterator
from dataclasses import field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, event, func, select
from sqlalchemy.orm import Session, SessionTransaction

from tradeboard.audit import rules
from tradeboard.audit.models import AuditHead, AuditRow
from tradeboard.audit.rules import GENESIS, Facts, Head
from tradeboard.core import keyring
from tradeboard.core.db import db, writing
from tradeboard.core.records import dataclass

WAITING = "audit"
TABLES = db.metadata.tables
ROWS, HEAD = TABLES[AuditRow.__tablename__], TABLES[AuditHead.__tablename__]


@dataclass
class Waiting:
    """What this transaction recorded, in order, and how much of it was appended.

    A savepoint remembers both, so that rolling back to it drops what was recorded
    since, and lets wait again what was appended since.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    appended: int = 0
    savepoints: list[tuple[SessionTransaction, int, int]] = field(default_factory=list)

    def roll_back_to(self, savepoint: SessionTransaction) -> None:
        """Be again as it was at the savepoint."""
        for place, (known, rows, appended) in enumerate(self.savepoints):
            if known is savepoint:
                del self.rows[rows:], self.savepoints[place:]
                self.appended = appended
                return


def record(
    action: str, object: str, *, by_id: int | None, now: datetime, **body: Any
) -> None:
    """Record an act in the caller's transaction; `by_id` is None when time acted.

    `object` reads `entry:12`; `body` holds ids and codes, never personal data.
    """
    if not writing.get():
        raise RuntimeError("recorded outside a transaction")
    row = {
        "at": now,
        "actor_id": by_id,
        "action": str(action),
        "object": str(object),
        "body": rules.plain(body),
    }
    _waiting(db.session()).rows.append(row)


def append(session: Session) -> None:
    """Chain what waits to the log: one row locked, the rows added, the head moved."""
    waiting = session.info.get(WAITING)
    if waiting is None or waiting.appended == len(waiting.rows):
        return
    session.flush()
    connection = session.connection()
    head = _lock_head(connection)
    kid = keyring.ring().kid("audit")
    new = list(_chained(waiting.rows[waiting.appended :], head, kid))
    connection.execute(ROWS.insert(), new)
    connection.execute(HEAD.update(), {"seq": new[-1]["seq"], "hash": new[-1]["hash"]})
    waiting.appended = len(waiting.rows)


def _lock_head(connection: Connection) -> Head:
    row = connection.execute(select(HEAD.c.seq, HEAD.c.hash).with_for_update()).first()
    if row is None:
        raise RuntimeError("the audit log has lost its head")
    seq, hash = row
    if hash == GENESIS:
        # Before the chain begins, rows without links may still have come.
        seq = max(seq, connection.scalar(select(func.max(ROWS.c.seq))) or 0)
    return Head(seq, hash)


def _chained(rows: list[dict[str, Any]], head: Head, kid: str) -> Iterator[dict]:
    """Give each row its number, and the link to the one before it."""
    key, seq, prev_hash = keyring.key("audit", kid), head.seq, head.hash
    for row in rows:
        seq += 1
        facts = Facts(
            seq,
            row["at"],
            row["actor_id"],
            row["action"],
            row["object"],
            row["body"],
        )
        linked = rules.link(key, prev_hash, facts)
        yield {**row, "seq": seq, "kid": kid, "prev_hash": prev_hash, "hash": linked}
        prev_hash = linked


def _waiting(session: Session) -> Waiting:
    return session.info.setdefault(WAITING, Waiting())


@event.listens_for(db.session, "before_commit")
def _append_last(session: Session) -> None:
    if not session.in_nested_transaction():
        append(session)


@event.listens_for(db.session, "do_orm_execute")
def _append_for_a_reader(state) -> None:
    mapper = state.bind_mapper
    if state.is_select and mapper is not None and mapper.class_ is AuditRow:
        append(state.session)


@event.listens_for(db.session, "after_transaction_create")
def _remember(session: Session, begun: SessionTransaction) -> None:
    if begun.nested:
        waiting = _waiting(session)
        place = (begun, len(waiting.rows), waiting.appended)
        waiting.savepoints.append(place)


@event.listens_for(db.session, "after_soft_rollback")
def _drop_to_savepoint(session: Session, ended: SessionTransaction) -> None:
    if ended.nested and WAITING in session.info:
        _waiting(session).roll_back_to(ended)


@event.listens_for(db.session, "after_transaction_end")
def _forget(session: Session, ended: SessionTransaction) -> None:
    if ended.parent is None:
        session.info.pop(WAITING, None)
