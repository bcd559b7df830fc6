"""A log to tamper with, and how: by raw SQL, as the owner of the table could."""

import json
import shutil
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import text

from tests.factories import MONDAY
from tradeboard.audit import queries, rules, services
from tradeboard.audit.models import AuditHead, AuditRow
from tradeboard.audit.rules import Anchor, Wrong
from tradeboard.core.db import db, writing
from tradeboard.core.transaction import transaction

ROWS = 12
TABLES = (AuditRow.__table__, AuditHead.__table__)


def record(*objects, by_id=1, now=MONDAY):
    """Record some acts in one transaction."""
    with transaction():
        for number, thing in enumerate(objects):
            services.record("look", thing, by_id=by_id, now=now, number=number)


def anchor():
    """Return what is the last row now."""
    db.session.rollback()
    head = queries.head()
    return Anchor(head.seq, head.hash, MONDAY)


def verify(*anchors):
    """Return what is wrong: the number and the name, or None."""
    db.session.rollback()
    broken = queries.verify(anchors).broken
    db.session.rollback()
    return (broken.seq, broken.wrong) if broken else None


@contextmanager
def unguarded():
    """Write past the triggers and past the models."""
    db.session.rollback()
    is_file = db.engine.dialect.name == "sqlite"
    token = writing.set(True)
    try:
        with db.engine.begin() as connection:
            if is_file:
                for name in ("audit_row_no_UPDATE", "audit_row_no_DELETE"):
                    connection.execute(text(f"DROP TRIGGER IF EXISTS {name}"))
                yield connection
            else:
                connection.execute(text("ALTER TABLE audit_row DISABLE TRIGGER USER"))
                yield connection
                connection.execute(text("ALTER TABLE audit_row ENABLE TRIGGER USER"))
    finally:
        writing.reset(token)


def run(*statements, **values):
    """Run SQL as whoever owns the tables."""
    with unguarded() as connection:
        for statement in statements:
            connection.execute(text(statement), values)


def copy():
    """Return every row of the log and its head."""
    with db.engine.connect() as connection:
        return [
            [dict(row) for row in connection.execute(table.select()).mappings()]
            for table in TABLES
        ]


def put_back(copied):
    """Put a copy in the place of what is there."""
    with unguarded() as connection:
        for table, rows in zip(TABLES, copied, strict=True):
            connection.execute(table.delete())
            if rows:
                connection.execute(table.insert(), rows)


def edit_body():
    """Let row 5 say something else."""
    run("UPDATE audit_row SET body = :body WHERE seq = 5", body=json.dumps({"n": 9}))


def cut_middle():
    """Remove rows 4 and 5."""
    run("DELETE FROM audit_row WHERE seq IN (4, 5)")


def cut_tail():
    """Remove the last two rows."""
    run("DELETE FROM audit_row WHERE seq > 10")


def cut_tail_and_head():
    """Remove the last two rows, and set the head back."""
    run(
        "DELETE FROM audit_row WHERE seq > 10",
        "UPDATE audit_head SET seq = 10, "
        "hash = (SELECT hash FROM audit_row WHERE seq = 10)",
    )


def move_up():
    """Remove row 4, and let the later ones take its place."""
    run(
        "DELETE FROM audit_row WHERE seq = 4",
        "UPDATE audit_row SET seq = -seq WHERE seq > 4",
        "UPDATE audit_row SET seq = -seq - 1 WHERE seq < 0",
        "UPDATE audit_head SET seq = seq - 1",
    )


def reorder():
    """Let rows 6 and 7 change places."""
    run(
        "UPDATE audit_row SET seq = 0 WHERE seq = 6",
        "UPDATE audit_row SET seq = 6 WHERE seq = 7",
        "UPDATE audit_row SET seq = 7 WHERE seq = 0",
    )


def insert_last():
    """Add a row after the last one."""
    run(_insert("13", "hash", "12"), hash="a" * 64)


def insert_middle():
    """Add a row as number 8, and let the later ones move on."""
    run(
        "UPDATE audit_row SET seq = -seq WHERE seq > 7",
        "UPDATE audit_row SET seq = -seq + 1 WHERE seq < 0",
        "UPDATE audit_head SET seq = seq + 1",
        _insert("8", "'" + "b" * 64 + "'", "7"),
        hash="a" * 64,
    )


def _insert(seq, prev_hash, copied):
    return (
        "INSERT INTO audit_row (seq, at, actor_id, action, object, body, kid, "
        f"prev_hash, hash) SELECT {seq}, at, actor_id, action, object, body, kid, "
        f"{prev_hash}, :hash FROM audit_row WHERE seq = {copied}"
    )


def replace_all(key=b"a key of somebody else's, 32 byte", kid="k1", *, rows=ROWS):
    """Write another log from the first row on, chained with some key."""
    copied, prev_hash = [], rules.GENESIS
    for seq in range(1, rows + 1):
        facts = rules.Facts(seq, MONDAY, 2, "look", "entry:99", {})
        linked = rules.link(key, prev_hash, facts)
        copied.append(
            {
                "seq": seq,
                "at": MONDAY,
                "actor_id": 2,
                "action": "look",
                "object": "entry:99",
                "body": {},
                "kid": kid,
                "prev_hash": prev_hash,
                "hash": linked,
            }
        )
        prev_hash = linked
    put_back([copied, [{"id": 1, "seq": rows, "hash": prev_hash}]])


def empty():
    """Remove everything, and begin anew."""
    put_back([[], [{"id": 1, "seq": 0, "hash": rules.GENESIS}]])


def backup(folder):
    """Keep what the database is now; return how to restore it."""
    db.session.rollback()
    if db.engine.dialect.name != "sqlite":
        copied = copy()
        return lambda: put_back(copied)
    file, old = Path(db.engine.url.database), folder / "old.sqlite3"
    with closing(sqlite3.connect(file)) as source:
        source.execute("VACUUM INTO ?", [str(old)])

    def restore():
        db.session.rollback()
        db.engine.dispose()
        for suffix in ("-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        shutil.copyfile(old, file)

    return restore


TAMPERS = [
    (edit_body, (5, Wrong.EDITED)),
    (cut_middle, (4, Wrong.MISSING)),
    (cut_tail, (11, Wrong.MISSING)),
    (cut_tail_and_head, (11, Wrong.OLDER)),
    (move_up, (4, Wrong.MISSING)),
    (reorder, (6, Wrong.REORDERED)),
    (insert_last, (13, Wrong.INSERTED)),
    (insert_middle, (8, Wrong.INSERTED)),
    (replace_all, (1, Wrong.EDITED)),
    (empty, (1, Wrong.OLDER)),
]
