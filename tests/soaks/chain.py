"""D3: the audit chain stays whole while many write, and no tampering stays unseen."""

import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from tests import databases, sizes
from tests.audit import chains
from tests.soaks import guarantees
from tests.soaks.boards import ROOT, board
from tradeboard.app import create_app
from tradeboard.audit import anchors, queries, rules, services
from tradeboard.audit.models import AuditHead, AuditRow
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.transaction import transaction

JOBS = 3
PAUSE = 0.01  # Between two changes; SQLite knows no queue.


class TakenBack(Exception):
    """The change fails after all."""


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    until = time.monotonic() + 60 * minutes
    violations = 0
    while True:
        for kind in databases.KINDS:
            processes = sizes.size("D3 processes", quick=quick)
            operations = sizes.size("D3", quick=quick)
            violations += run(kind, processes, operations)["violations"]
        if quick or time.monotonic() > until:
            return violations


def run(kind: str, processes: int, operations: int) -> dict:
    """Let processes write, check beside them, compare, and tamper in the end."""
    began = time.monotonic()
    seed = guarantees.seed()
    with TemporaryDirectory() as folder, board(kind, Path(folder)) as environment:
        file = Path(environment["TRADEBOARD_AUDIT_ANCHORS"])
        make_rows()
        children = [
            subprocess.Popen(
                [sys.executable, "-m", __name__, str(seed + n), str(operations)],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for n in range(processes)
        ]
        checks, alarms = _check_beside(children, file)
        said = [child.communicate()[0].split() or ("0", "0") for child in children]
        written, busy = (sum(map(int, numbers)) for numbers in zip(*said, strict=True))
        failed = sum(child.returncode != 0 for child in children)
        number, last = _counted()
        alarms += _alarms(file)
        found, whole = _tamper(Path(folder))
    wrong = {"gaps": abs(last - number), "lost": abs(number - written)}
    return guarantees.report(
        guarantee="D3",
        db=kind,
        size=sizes.name_of("D3", operations),
        n=processes * operations,
        violations=failed + alarms + sum(wrong.values()) + (whole - found),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        rows=number,
        busy=busy,
        checks=checks,
        false_alarms=alarms,
        found=f"{found} of {whole}",
        **wrong,
    )


def _check_beside(children, file: Path) -> tuple[int, int]:
    """Anchor and check the log while others write it; how often, how many alarms."""
    checks = alarms = 0
    while any(child.poll() is None for child in children):
        db.session.rollback()
        head = queries.head()
        if head and head.hash != rules.GENESIS:
            anchors.append(file, rules.Anchor(head.seq, head.hash, clock.now()))
        alarms += _alarms(file)
        checks += 1
        time.sleep(0.05)
    return checks, alarms


def _alarms(file: Path) -> int:
    db.session.rollback()
    broken = queries.verify(anchors.read(file)).broken
    db.session.rollback()
    if broken:
        print(f"alarm: {broken}", file=sys.stderr)
    return int(broken is not None)


def _counted() -> tuple[int, int]:
    """Return how many rows there are, and which number was the last."""
    db.session.rollback()
    return (
        db.session.scalar(select(func.count(AuditRow.seq))),
        db.session.scalar(select(AuditHead.seq)),
    )


def _tamper(folder: Path) -> tuple[int, int]:
    """Change a small log in every way; how many were found, of how many."""
    chains.empty()
    chains.record(*(f"entry:{number}" for number in range(chains.ROWS)))
    anchor, whole = chains.anchor(), chains.copy()
    found = 0
    for tamper, right in chains.TAMPERS:
        tamper()
        found += chains.verify(anchor) == right
        chains.put_back(whole)
    restore = chains.backup(folder)
    chains.record("entry:1")
    later = chains.anchor()
    calm = chains.verify(anchor, later) is None
    restore()
    found += calm and chains.verify(later) is not None
    return found, len(chains.TAMPERS) + 1


def make_rows() -> None:
    """Make the rows that every change is about."""
    with transaction():
        db.session.add_all(JobRun(name=f"job {n}", done=0) for n in range(JOBS))


def write(seed: int, operations: int) -> tuple[int, int]:
    """Do so many mixed changes; how many rows they recorded, and how many had to wait
    for too long and were given up.
    """
    dice = random.Random(seed)
    rows = busy = 0
    for _ in range(operations):
        try:
            rows += _change(dice)
        except OperationalError:
            busy += 1
        time.sleep(dice.random() * PAUSE)
    return rows, busy


def _change(dice: random.Random) -> int:
    try:
        with transaction():
            kept = _record(dice)
            _touch(dice)
            for _ in range(dice.randrange(3)):
                kept += _in_savepoint(dice)
                _read(dice)
            kept += _record(dice)
            if dice.random() < 0.2:
                raise TakenBack
    except TakenBack:
        return 0
    return kept


def _in_savepoint(dice: random.Random) -> int:
    is_kept = dice.random() < 0.5
    with db.session.begin_nested() as savepoint:
        kept = _record(dice)
        _read(dice)
        if dice.random() < 0.3:
            kept += _in_savepoint(dice)
        if not is_kept:
            savepoint.rollback()
    return kept if is_kept else 0


def _record(dice: random.Random) -> int:
    number = dice.randrange(4)
    for n in range(number):
        thing = f"entry:{dice.randrange(100)}"
        services.record("look", thing, by_id=n or None, now=clock.now(), n=n)
    return number


def _read(dice: random.Random) -> None:
    if dice.random() < 0.2:
        queries.newest(limit=3)


def _touch(dice: random.Random) -> None:
    """Change a row that others change too."""
    name = f"job {dice.randrange(JOBS)}"
    db.session.get_one(JobRun, name, with_for_update=True).done += 1


if __name__ == "__main__":
    app = create_app()
    with app.app_context():
        keyring.ring()
        print(*write(int(sys.argv[1]), int(sys.argv[2])))
