"""G2: one entry per trade and person, one mail each, whatever is killed when."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import func, select

from tests import databases
from tests.soaks import guarantees, overdue
from tests.soaks.boards import ROOT, board
from tradeboard.audit import queries as audit
from tradeboard.audit.models import AuditRow
from tradeboard.blacklist.models import Entry
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

FLASK = [sys.executable, "-m", "flask", "--app", "wsgi"]
SWEEP = [*FLASK, "jobs", "run", "sweep-overdue"]
SCHEDULER = [*FLASK, "scheduler"]
QUICK, LONG = (60, 4), (300, 20)
PATIENCE = 60.0
LOOK_EVERY = 0.02


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    until = time.monotonic() + 60 * minutes
    number, kills = QUICK if quick else LONG
    violations = 0
    while True:
        for kind in databases.KINDS:
            violations += run(kind, number, kills, several=not quick)["violations"]
        if quick or time.monotonic() > until:
            return violations


def run(kind: str, number: int, kills: int, *, several: bool = False) -> dict:
    """Kill sweepers in the middle of their work, sweep to the end, and check.

    With `several`, a scheduler and a command sweep beside each other each time.
    """
    began = time.monotonic()
    seed = guarantees.seed()
    dice = random.Random(seed)
    with TemporaryDirectory() as folder, board(kind, Path(folder)) as environment:
        world = overdue.make(number, clock.now())
        killed = 0
        for kill in range(kills):
            done, all_done = _defaulted(), len(world.overdue)
            share = max(1, 2 * (all_done - done) // (kills - kill + 1) - 2)
            goal = min(done + dice.randint(1, share), all_done)
            sweepers = [SWEEP, SCHEDULER] if several else [[SCHEDULER, SWEEP][kill > 0]]
            killed += _kill_at(goal, sweepers, environment)
        subprocess.run(
            SWEEP, cwd=ROOT, env=environment, check=True, capture_output=True
        )
        found = check(world)
    return guarantees.report(
        guarantee="G2",
        db=kind,
        n=number,
        violations=sum(found.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        kills=killed,
        entries=len(world.entries),
        **found,
    )


def _kill_at(goal: int, sweepers: list[list[str]], environment) -> int:
    """Start sweepers, and kill them all once so many trades were defaulted."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    children = [
        subprocess.Popen(command, cwd=ROOT, env=environment, **quiet)
        for command in sweepers
    ]
    until = time.monotonic() + PATIENCE
    try:
        while _defaulted() < goal and time.monotonic() < until:
            if all(child.poll() is not None for child in children):
                break
            time.sleep(LOOK_EVERY)
    finally:
        alive = sum(child.poll() is None for child in children)
        for child in children:
            child.kill()
            child.wait()
    return alive


def _defaulted() -> int:
    db.session.rollback()
    found = select(func.count(Trade.id)).where(Trade.state == TradeState.DEFAULTED)
    number = db.session.scalar(found)
    db.session.rollback()  # so that no transaction waits while sweepers start
    return number


def check(world: overdue.World) -> dict[str, int]:
    """Compare what stands in the tables with the right answers."""
    db.session.rollback()
    entries = db.session.scalars(select(Entry)).all()
    pairs = Counter((entry.trade_id, entry.account_id) for entry in entries)
    right = {
        (entry.trade_id, entry.account_id)
        for entry in entries
        if world.entries.get((entry.trade_id, entry.account_id))
        == (entry.finding, entry.state)
    }
    told = Counter(
        (mail.account_id, mail.template, mail.facts["entry"])
        for mail in db.session.scalars(
            select(OutboxMail).where(OutboxMail.key.startswith("entry-"))
        )
    )
    audited = Counter(
        db.session.scalars(
            select(AuditRow.object).where(AuditRow.action == "enter entry")
        )
    )
    ended = set(
        db.session.scalars(select(Trade.id).where(Trade.state == TradeState.DEFAULTED))
    )
    return {
        "dup": _more_than_once(pairs)
        + _more_than_once(told)
        + _more_than_once(audited),
        "orphans": sum(
            _is_orphan(entry, told, audited) or entry.trade_id not in ended
            for entry in entries
        ),
        "wrong": len(world.entries.keys() ^ right) + len(world.overdue ^ ended),
        "chain": int(audit.verify().broken is not None),
    }


def _more_than_once(counted: Counter) -> int:
    return sum(times - 1 for times in counted.values())


def _is_orphan(entry: Entry, told: Counter, audited: Counter) -> bool:
    """Tell whether an entry stands without its mail or without its audit row."""
    mail = f"blacklist/mail/{entry.state}.txt"
    was_told = told[entry.account_id, mail, entry.id]
    return not was_told or not audited[f"entry:{entry.id}"]
