"""G2: one entry per trade and person, one mail each, whatever is killed when."""

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import Flask
from sqlalchemy import func, select

from tests import databases, sizes
from tests.soaks import fields, guarantees, hurried, overdue
from tests.soaks.boards import ROOT, application, board, environment_of
from tests.soaks.children import Child, fork
from tests.soaks.fields import A_DAY, Planted, Plot
from tests.soaks.hurried import Folder
from tradeboard.accounts.models import Account
from tradeboard.audit import queries as audit
from tradeboard.audit.models import AuditRow
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import Refusal
from tradeboard.core.transaction import transaction
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules.states import Condition, LegState, TradeState
from tradeboard.trades.services import marks, shipping

SWEEP = [sys.executable, "-m", "flask", "--app", "wsgi"] + ["jobs", "run", hurried.JOB]
SCHEDULERS = 3
TRADES_A_KILL = 4
# Every so many kills the command sweeps too, as an operator starts it by hand.
COMMAND_EVERY = 10
SPAN_S, LEAD = 1.5, timedelta(seconds=2)
# How long before the due instant somebody acts: too late on a busy machine, or not.
BEFORE_S = (0.05, 0.5)
PATIENCE = 10.0
LOOK_EVERY = 0.02


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    until = time.monotonic() + 60 * minutes
    violations = 0
    while True:
        for kind in databases.KINDS:
            with TemporaryDirectory() as name, board(kind, Path(name)) as environment:
                app = application(environment)
                with app.app_context():
                    violations += run(app, quick=quick)["violations"]
                    db.session.remove()
                    db.engine.dispose()
        if quick or time.monotonic() > until:
            return violations


def run(app: Flask, *, quick: bool) -> dict:
    """Kill schedulers in the middle of their work, sweep to the end, and check.

    Beside them one process confirms receipts and one says that parcels were delivered,
    of trades that fall due meanwhile; they are killed as well.
    """
    began, seed = time.monotonic(), guarantees.seed()
    kills, dice = sizes.size("G2", quick=quick), random.Random(seed)
    world = overdue.make(kills * TRADES_A_KILL, clock.now())
    racing = plant_racing(kills, clock.now())
    killed, all_done = 0, len(world.overdue)
    with TemporaryDirectory(prefix="tb-") as name:
        folder = Folder(Path(name))
        for kill in range(kills):
            starts = [lambda: hurried.run(app, folder, patient=True)] * SCHEDULERS
            starts += [lambda: confirm(racing), lambda: contest(racing)]
            with_command = not quick and kill % COMMAND_EVERY == 0
            done = _defaulted()
            share = max(1, 2 * (all_done - done) // (kills - kill + 1) - 2)
            goal = min(done + dice.randint(1, share), all_done)
            killed += _kill_at(goal, starts, SWEEP if with_command else None, app)
    _wait_until_due(racing)
    sweep_overdue_trades(clock.now())
    found = check(world, racing) | {"never_killed": int(not killed)}
    ended = _states(racing)
    return guarantees.report(
        guarantee="G2",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=kills,
        violations=sum(found.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        kills=killed,
        entries=len(world.entries),
        racing=len(racing),
        received=ended[TradeState.RECEIVED],
        **found,
    )


def plant_racing(kills: int, now) -> list[Planted]:
    """Make trades that fall due while schedulers are killed; one parcel is to come."""
    number = 2 * kills
    begin, span = now + LEAD, timedelta(seconds=SPAN_S * kills)
    return fields.plant(
        Plot(
            begin + span * (n / number) - 14 * A_DAY,
            sent=(True, True),
            received=(True, False),
        )
        for n in range(number)
    )


def confirm(racing: list[Planted]) -> None:
    """Confirm every second of the parcels, as near to the due instant as can be."""
    for n, planted in enumerate(racing[::2]):
        leg, recipient = planted.legs[1], planted.people[0]
        _at_the_last_moment(
            planted,
            BEFORE_S[n % 2],
            lambda leg=leg, recipient=recipient: shipping.confirm_receipt(
                leg,
                arrived_on=trades.day_in_japan(clock.now()),
                condition=Condition.AS_AGREED,
                words="",
                by=db.session.get_one(Account, recipient),
                now=clock.now(),
            ),
        )


def contest(racing: list[Planted]) -> None:
    """Let every second sender say that the parcel was delivered, as late as can be."""
    for n, planted in enumerate(racing[1::2]):
        leg, sender = planted.legs[1], planted.people[1]
        _at_the_last_moment(
            planted,
            BEFORE_S[n % 2],
            lambda leg=leg, sender=sender: marks.contest(
                leg,
                delivered_on=trades.day_in_japan(clock.now()),
                by=db.session.get_one(Account, sender),
                now=clock.now(),
            ),
        )


def _at_the_last_moment(
    planted: Planted, before_s: float, verb: Callable[[], object]
) -> None:
    """Wait until a trade is all but due, then act; whoever is refused goes on."""
    assert planted.due is not None
    before = (planted.due - clock.now()).total_seconds() - before_s
    if before < -1:
        return
    time.sleep(max(0.0, before))
    try:
        with transaction():
            verb()
    except Exception as error:
        if not isinstance(error, Refusal):
            time.sleep(LOOK_EVERY)


def _kill_at(goal: int, starts, command: list[str] | None, app: Flask) -> int:
    """Start all of them, and kill them once so many trades were defaulted."""
    children: list[Child | subprocess.Popen] = [fork(start) for start in starts]
    if command:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = environment_of(app)
        children.append(subprocess.Popen(command, cwd=ROOT, env=environment, **quiet))
    until = time.monotonic() + PATIENCE
    try:
        while _defaulted() < goal and time.monotonic() < until:
            time.sleep(LOOK_EVERY)
    finally:
        alive = sum(child.poll() is None for child in children)
        for child in children:
            child.kill()
        for child in children:
            child.wait()
    return alive


def _wait_until_due(racing: list[Planted]) -> None:
    last = max(planted.due for planted in racing if planted.due)
    while (left := (last - clock.now()).total_seconds()) > 0:
        time.sleep(min(left, 1.0))


def _defaulted() -> int:
    db.session.rollback()
    found = select(func.count(Trade.id)).where(Trade.state == TradeState.DEFAULTED)
    number = db.session.scalar(found)
    db.session.rollback()  # so that no transaction waits while sweepers start
    return number


def _states(racing: list[Planted]) -> Counter[TradeState]:
    db.session.rollback()
    ids = [planted.trade for planted in racing]
    found = select(Trade.state).where(Trade.id.in_(ids))
    return Counter(db.session.scalars(found))


def _owed(racing: list[Planted]) -> dict[tuple[int, int], tuple[str, str]]:
    """Return what a right sweep makes of the trades that raced, from their parcels."""
    owed = {}
    for planted in racing:
        trade = db.session.get_one(Trade, planted.trade)
        leg = db.session.get_one(Leg, planted.legs[1])
        if trade.state is TradeState.RECEIVED and leg.state is LegState.RECEIVED:
            continue
        contested = leg.contested_at is not None
        answer = (
            ("contested", "held") if contested else ("not_received_tracked", "listed")
        )
        owed[planted.trade, leg.sender_id] = answer
    return owed


def check(world: overdue.World, racing: list[Planted] | None = None) -> dict[str, int]:
    """Compare what stands in the tables with the right answers."""
    db.session.rollback()
    owed = world.entries | _owed(racing or [])
    due = world.overdue | {trade for trade, _ in owed}
    entries = db.session.scalars(select(Entry)).all()
    pairs = Counter((entry.trade_id, entry.account_id) for entry in entries)
    right = {
        (entry.trade_id, entry.account_id)
        for entry in entries
        if owed.get((entry.trade_id, entry.account_id)) == (entry.finding, entry.state)
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
        "wrong": len(owed.keys() ^ right) + len(due ^ ended),
        "chain": int(audit.verify().broken is not None),
    }


def _more_than_once(counted: Counter) -> int:
    return sum(times - 1 for times in counted.values())


def _is_orphan(entry: Entry, told: Counter, audited: Counter) -> bool:
    """Tell whether an entry stands without its mail or without its audit row."""
    mail = f"blacklist/mail/{entry.state}.txt"
    was_told = told[entry.account_id, mail, entry.id]
    return not was_told or not audited[f"entry:{entry.id}"]
