"""G9: all or nothing, wherever the process ends."""

import os
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from unittest.mock import patch

import psycopg
from sqlalchemy import event

from tests import sizes
from tests.blacklist.cases import listed, never_sent, receive
from tests.factories import A_MOMENT, DUE, MONDAY, make_account
from tests.soaks import guarantees
from tests.soaks.boards import on_each_database
from tests.soaks.children import fork
from tests.trades.stages import items
from tests.worlds import TRACKED, make_listing, make_trade
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.services import entering, review
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries as trades
from tradeboard.trades.rules.states import Condition
from tradeboard.trades.services import negotiation, shipping

STOPPED, BEFORE_COMMIT = 17, 18
MOST_POINTS = 10_000
A_DAY = timedelta(days=1)
LATER = DUE + A_DAY

Rows = dict[str, list[tuple]]


@dataclass(frozen=True)
class Verb:
    """What happens in one transaction; `begin` makes what it needs, and returns it."""

    name: str
    begin: Callable[[], Callable[[], object]]


def _accept() -> Callable[[], object]:
    poster, proposer = make_account("accept1"), make_account("accept2")
    listing = make_listing(poster, at=MONDAY)
    with transaction():
        offer = items(listing)
        made = negotiation.propose(
            listing.id, offer, "", by=_person(proposer.id), now=MONDAY
        )
        trade_id = made.id
    who = poster.id

    def act():
        with transaction():
            negotiation.accept(trade_id, 1, by=_person(who), now=MONDAY + A_DAY)

    return act


def _dispatch() -> Callable[[], object]:
    poster, proposer = make_account("send1"), make_account("send2")
    trade = make_trade(poster, proposer, at=LATER)
    leg, who = trade.leg_from(poster.id).id, poster.id

    def act():
        with transaction():
            shipping.dispatch(
                leg, carrier="yamato", tracking=TRACKED, by=_person(who), now=LATER
            )

    return act


def _receive() -> Callable[[], object]:
    poster, proposer = make_account("receive1"), make_account("receive2")
    trade = make_trade(
        poster, proposer, sent_by=[poster, proposer], tracking=TRACKED, quantity=1
    )
    receive(trade, poster)
    leg, who, now = trade.leg_from(proposer.id).id, poster.id, DUE - A_MOMENT

    def act():
        with transaction():
            shipping.confirm_receipt(
                leg,
                arrived_on=trades.day_in_japan(now),
                condition=Condition.AS_AGREED,
                words="",
                by=_person(who),
                now=now,
            )

    return act


def _sweep() -> Callable[[], object]:
    never_sent(make_account("sweep1"), make_account("sweep2"))
    return lambda: sweep_overdue_trades(DUE)


def _uphold() -> Callable[[], object]:
    entry = listed(make_account("uphold1"), make_account("uphold2"))
    judge = make_account("judge1", role=Role.MODERATOR)
    which, version, who = entry.id, entry.version, judge.id
    reason = review.UpholdReason.RECORD

    def act():
        with transaction():
            words = "発送の記録がありません。"
            review.uphold(which, version, reason, words, by=_person(who), now=LATER)

    return act


def _lift() -> Callable[[], object]:
    entry = listed(make_account("lift1"), make_account("lift2"))
    judge = make_account("judge2", role=Role.MODERATOR)
    which, version, who = entry.id, entry.version, judge.id
    reason = review.LiftReason("delivered")

    def act():
        with transaction():
            words = "配達が確かめられました。"
            review.lift_by_moderator(
                which, version, reason, words, by=_person(who), now=LATER
            )

    return act


VERBS = (
    Verb("accept", _accept),
    Verb("dispatch", _dispatch),
    Verb("receive", _receive),
    Verb("sweep", _sweep),
    Verb("uphold", _uphold),
    Verb("lift", _lift),
)


def _person(account_id: int) -> Account:
    return db.session.get_one(Account, account_id)


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    return on_each_database(lambda _app, _: run(quick=quick)["violations"])


def run(*, quick: bool) -> dict:
    """End a process at every point of every verb; look each time what is there."""
    began, seed = time.monotonic(), guarantees.seed()
    most, dice = sizes.size("G9", quick=quick), random.Random(seed)
    points: dict[str, int] = {}
    torn: list[str] = []
    for verb in VERBS:
        act = verb.begin()
        with foreseen():
            every = range(1, _statements(act) + 1)
            some = sorted(dice.sample(every, min(most, len(every))))
            wrong = _try(act, some)
        points[verb.name] = len(some) + 2
        torn += [f"{verb.name}: {what}" for what in wrong]
    for what in torn[:20]:
        print(what)
    return guarantees.report(
        guarantee="G9",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=sum(points.values()),
        violations=len(torn),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        points=points,
    )


@contextmanager
def foreseen():
    """Let the numbers of entries be the same each time."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(entering, "_random", random.Random(7)))
        yield


class _Undone(BaseException):
    """Ends what is done only to know it."""


def _statements(act: Callable[[], object]) -> int:
    """Count its statements without its COMMIT, so that none is compiled anew later."""
    count = 0

    def note(*_) -> None:
        nonlocal count
        count += 1

    def undo(_) -> None:
        raise _Undone

    db.session.rollback()
    event.listen(db.engine, "before_cursor_execute", note)
    event.listen(db.engine, "commit", undo)
    try:
        act()
    except _Undone:
        db.session.rollback()
    finally:
        event.remove(db.engine, "commit", undo)
        event.remove(db.engine, "before_cursor_execute", note)
    return count


def _try(act: Callable[[], object], points: list[int]) -> list[str]:
    """Stop before some statements, before COMMIT and after it; say what was torn."""
    before, wrong = dump(), []
    for k in points:
        code = fork(lambda k=k: _stopped_at(k, act)).wait()
        if code != STOPPED or dump() != before:
            return [f"something is there before statement {k} (code {code})"]
    code = fork(lambda: _stopped_at(MOST_POINTS, act)).wait()
    if code != BEFORE_COMMIT or dump() != before:
        wrong.append(f"something is there before COMMIT (code {code})")
    code = fork(lambda: _stopped_after(act)).wait()
    after = dump()
    if code != STOPPED or after == before:
        wrong.append(f"nothing is there after COMMIT (code {code})")
    return wrong + [f"something is there twice: {name}" for name in _again(act, after)]


def _stopped_at(k: int, act: Callable[[], object]) -> None:
    """Do it, and end before the statement with a number, or else before COMMIT."""
    left = [k]

    def count_down(*_) -> None:
        left[0] -= 1
        if not left[0]:
            os._exit(STOPPED)

    event.listen(db.engine, "before_cursor_execute", count_down)
    event.listen(db.engine, "commit", lambda _: os._exit(BEFORE_COMMIT))
    act()


def _stopped_after(act: Callable[[], object]) -> None:
    event.listen(db.session, "after_commit", lambda _: os._exit(STOPPED))
    act()


def _again(act: Callable[[], object], after: Rows) -> list[str]:
    """Do it once more: all of it was there, so nothing may come to it."""

    def repeat() -> None:
        try:
            act()
        finally:
            os._exit(0)

    fork(repeat).wait()
    now = dump()
    return [name for name in after if len(now[name]) != len(after[name])]


def dump() -> Rows:
    """Read every row of every table past the application, as after a power cut."""
    db.session.remove()
    db.engine.dispose()
    url = db.engine.url
    names = [table.name for table in db.metadata.sorted_tables]
    if db.engine.dialect.name == "sqlite":
        with closing(sqlite3.connect(str(url.database))) as there:
            return {name: _rows(there, name) for name in names}
    text = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(text) as there:
        return {name: _rows(there, name) for name in names}


def _rows(there, name: str) -> list[tuple]:
    return sorted(map(repr, there.execute(f'SELECT * FROM "{name}"').fetchall()))
