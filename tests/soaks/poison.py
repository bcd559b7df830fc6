"""G7: one trade that cannot be ended stops no other, and is seen."""

import time
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy import func, select, text

from tests import sizes
from tests.factories import DUE, MONDAY, make_account
from tests.soaks import browsing, fields, guarantees
from tests.soaks.fields import Plot
from tradeboard.accounts.rules.standing import Role
from tradeboard.core.db import db, writing
from tradeboard.scheduler import turns
from tradeboard.scheduler.timetable import JOBS
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

SWEEP = JOBS["sweep-overdue"]
A_MINUTE = timedelta(minutes=1)
HOURS = 4
LONGEST_PAUSE = 60
MOST_TRIES = 12

MAKE = {
    "sqlite": [
        "CREATE TRIGGER poison BEFORE UPDATE ON trade "
        "WHEN NEW.state = 'defaulted' AND NEW.id = {id} "
        "BEGIN SELECT RAISE(ABORT, 'a poison row'); END"
    ],
    "postgresql": [
        "CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'a poison row'; END $$",
        "CREATE TRIGGER poison BEFORE UPDATE ON trade FOR EACH ROW "
        "WHEN (NEW.state = 'defaulted' AND NEW.id = {id}) "
        "EXECUTE FUNCTION poison()",
    ],
}
DROP = {
    "sqlite": ["DROP TRIGGER poison"],
    "postgresql": ["DROP TRIGGER poison ON trade", "DROP FUNCTION poison()"],
}


def run(app, *, quick: bool) -> dict:
    """Poison one of the trades; sweep each minute for some hours, then heal it."""
    began, number = time.monotonic(), sizes.size("G7", quick=quick)
    planted = fields.plant(
        Plot(MONDAY + timedelta(seconds=n)) for n in range(-number, 1)
    )
    # In the middle, so that there are others before and after it.
    sick = planted[number // 2].trade
    with poisoned(sick):
        turns.perform(SWEEP, DUE)
        done = _defaulted()
        pauses = _pauses(sick, DUE)
        late = DUE + HOURS * 60 * A_MINUTE
        turns.perform(SWEEP, _next_try(sick))
        seen = _is_seen(app, late)
    turns.perform(SWEEP, _next_try(sick))
    found = {
        "undone": number - done,
        "not_healed": int(_defaulted() != number + 1),
        "hasty": _hasty(pauses),
        "unseen": 2 - seen,
    }
    return guarantees.report(
        guarantee="G7",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=number,
        violations=sum(found.values()),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        done=done,
        retries=len(pauses),
        pauses_min=pauses,
        **found,
    )


@contextmanager
def poisoned(trade_id: int):
    """Let the database itself refuse to end one trade, whatever asks it to."""
    kind = db.engine.dialect.name
    _execute(statement.format(id=int(trade_id)) for statement in MAKE[kind])
    try:
        yield
    finally:
        _execute(DROP[kind])


def _execute(statements) -> None:
    db.session.rollback()
    token = writing.set(True)
    try:
        with db.engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        writing.reset(token)


def _pauses(sick: int, since: datetime) -> list[int]:
    """Sweep in each minute in which something is due; return the pauses in minutes."""
    last, pauses, errors = since, [], _errors(sick)
    for minute in range(1, HOURS * 60 + 1):
        now = since + minute * A_MINUTE
        db.session.rollback()
        if not trades.overdue_trade_ids(now):
            continue
        SWEEP.run(now)
        if (after := _errors(sick)) != errors:
            pauses.append(int((now - last) / A_MINUTE))
            last, errors = now, after
    return pauses


def _hasty(pauses: list[int]) -> int:
    """Count what is wrong with the pauses: each is longer, up to an hour."""
    shrinks = sum(b < a for a, b in zip(pauses, pauses[1:], strict=False))
    too_long = sum(pause > LONGEST_PAUSE + 1 for pause in pauses)
    return shrinks + too_long + (not 1 < len(pauses) <= MOST_TRIES)


def _is_seen(app, now: datetime) -> int:
    """Count the places where it shows: the page of the system, and the health."""
    with browsing.at(now):
        admin = make_account("admin", role=Role.ADMIN)
        page = browsing.sign_in(app, admin.id).get("/desk/system").text
        health = app.test_client().get("/healthz/scheduler")
    return ("1 left for a later round" in page) + (health.status_code == 503)


def _errors(trade_id: int) -> int:
    db.session.rollback()
    return db.session.get_one(Trade, trade_id).sweep_errors


def _next_try(trade_id: int) -> datetime:
    db.session.rollback()
    moment = db.session.get_one(Trade, trade_id).next_try_at
    assert moment is not None
    return moment


def _defaulted() -> int:
    db.session.rollback()
    found = select(func.count(Trade.id)).where(Trade.state == TradeState.DEFAULTED)
    return db.session.scalar(found) or 0
