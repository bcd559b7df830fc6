"""G4: nobody is entered early, and nobody later than two ticks."""

import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, update

from tests import sizes
from tests.factories import A_MOMENT
from tests.soaks import agreement, fields, guarantees
from tests.soaks.boards import ROOT, environment_of
from tests.soaks.fields import A_DAY, Planted, Plot
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.clock import due_at
from tradeboard.trades.rules.states import TradeState

ZONES = (
    "Asia/Tokyo",
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "America/Caracas",
    "Africa/Casablanca",
    "UTC",
)
# Around the changes of the clock, leap days and turns of the year, by a wall clock.
ODD = (
    datetime(2026, 3, 8, 2, 30),
    datetime(2026, 11, 1, 1, 30),
    datetime(2026, 3, 29, 2, 30),
    datetime(2026, 10, 25, 2, 30),
    datetime(2026, 4, 5, 1, 45),
    datetime(2026, 10, 4, 2, 15),
    datetime(2028, 2, 15, 0, 0),
    datetime(2028, 2, 29, 23, 59, 59, 999_999),
    datetime(2026, 12, 31, 23, 59, 59, 999_999),
)
IN_FULL, IN_FULL_SOAK = 5, 100
LEAD = timedelta(seconds=20)
TICK_S = 60
LOOK_EVERY = 0.25
LONGEST_LAG = 900


@dataclass(frozen=True)
class Moment:
    """When the first parcel left by somebody's wall clock, and what was agreed on."""

    first: datetime
    extensions: int
    off: timedelta

    @property
    def due(self) -> datetime:
        """Return the due instant, computed without the product."""
        shift = self.first.utcoffset()
        assert shift is not None
        hours = timedelta(hours=336 + 168 * self.extensions)
        plain = self.first.replace(tzinfo=None) - shift + hours
        return plain.replace(tzinfo=UTC)


@st.composite
def moments(draw) -> Moment:
    """Draw a first dispatch in any zone, on either side of what is odd there."""
    odd = st.sampled_from(ODD).flatmap(
        lambda at: st.integers(-7200, 7200).map(lambda s: at + timedelta(seconds=s))
    )
    weeks = st.sampled_from((0, 14, 21, 28)).map(lambda days: timedelta(days=days))
    free = st.datetimes(datetime(2024, 1, 1), datetime(2031, 1, 1))
    wall = draw(st.one_of(odd, free, st.builds(lambda a, w: a - w, odd, weeks)))
    zone = ZoneInfo(draw(st.sampled_from(ZONES)))
    first = wall.replace(tzinfo=zone, fold=draw(st.integers(0, 1)))
    near = st.integers(-3, 3).map(lambda n: n * A_MOMENT)
    far = st.timedeltas(-10 * A_DAY, 10 * A_DAY)
    return Moment(first, draw(st.integers(0, 2)), draw(st.one_of(near, far)))


def draw_some(number: int, chosen: int) -> list[Moment]:
    """Draw moments; what the product says of each is compared at once."""
    drawn: list[Moment] = []

    @seed(chosen)
    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(moments())
    def try_one(moment: Moment) -> None:
        drawn.append(moment)
        assert due_at(moment.first, moment.extensions) == moment.due

    try_one()
    return drawn


def run(*, quick: bool) -> dict:
    """Ask around each drawn due instant; some trades go through every service."""
    began, chosen = time.monotonic(), guarantees.seed()
    number = sizes.SIZES["G4"].quick
    drawn = draw_some(number, chosen)
    early = late = 0
    in_full = IN_FULL if quick else IN_FULL_SOAK
    for moment in drawn[:: max(1, len(drawn) // in_full)]:
        found = _in_full(moment)
        early, late = early + found[0], late + found[1]
    plots = [Plot(m.first, (True, False), extensions=m.extensions) for m in drawn]
    for moment, planted in zip(drawn, fields.plant(plots), strict=True):
        now = moment.due + moment.off
        is_chosen = planted.trade in _chosen(now, len(drawn))
        early += is_chosen and now < moment.due
        late += not is_chosen and now >= moment.due
    return guarantees.report(
        guarantee="G4",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=len(drawn),
        violations=early + late,
        secs=round(time.monotonic() - began, 1),
        seed=chosen,
        early=early,
        late=late,
    )


def _in_full(moment: Moment) -> tuple[int, int]:
    """Let a trade go through its services in that zone, and sweep around its end."""
    first = moment.first.astimezone(UTC)
    plot = Plot(first, (False, False), state=TradeState.PHONE_CONFIRMED)
    (planted,) = fields.plant([plot])
    agreement.send(planted.legs[0], planted.people[0], moment.first)
    zone = moment.first.tzinfo
    for n in range(moment.extensions):
        agreement.extend(planted, (first + (n + 1) * A_DAY).astimezone(zone))
    sweep_overdue_trades((moment.due - A_MOMENT).astimezone(zone))
    early = _entries(planted)
    sweep_overdue_trades(moment.due.astimezone(zone))
    return early, int(not _entries(planted))


def _entries(planted: Planted) -> int:
    db.session.rollback()
    found = select(func.count(Entry.id)).where(Entry.trade_id == planted.trade)
    return db.session.scalar(found) or 0


def _chosen(now: datetime, most: int) -> set[int]:
    db.session.rollback()
    return set(trades.overdue_trade_ids(now, limit=most))


def live(app) -> dict:
    """Let very many be due at once under a real scheduler; how late is the last?"""
    began, number = time.monotonic(), sizes.SIZES["G4"].soak
    fields.plant(Plot(clock.now() - 10 * A_DAY) for _ in range(number))
    due = clock.now() + LEAD
    with transaction():
        moved = {"first_dispatched_at": due - 14 * A_DAY, "due_at": due}
        db.session.execute(update(Trade).values(moved))
    command = [sys.executable, "-m", "flask", "--app", "wsgi", "scheduler"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen(command, cwd=ROOT, env=environment_of(app), **quiet)
    try:
        early, lag_p99, lag_all = _watch(due, number)
    finally:
        child.terminate()
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    late = int(lag_p99 is None or lag_p99 > 2 * TICK_S)
    return guarantees.report(
        guarantee="G4-live",
        db=db.engine.dialect.name,
        size="soak",
        n=number,
        violations=early + late,
        secs=round(time.monotonic() - began, 1),
        seed=None,
        early=early,
        lag_p99=lag_p99,
        lag_all=lag_all,
    )


def _watch(due: datetime, number: int) -> tuple[int, float | None, float | None]:
    """Look until all are done: how many were early, when 99 of 100 and all were."""
    early, lag_p99 = 0, None
    while (lag := (clock.now() - due).total_seconds()) < LONGEST_LAG:
        db.session.rollback()
        before = clock.now()
        done = db.session.scalar(
            select(func.count(Trade.id)).where(Trade.state == TradeState.DEFAULTED)
        )
        db.session.rollback()
        if before < due and clock.now() < due:
            early = max(early, done or 0)
        if lag_p99 is None and done >= number * 0.99:
            lag_p99 = round(lag, 1)
        if done == number:
            return early, lag_p99, round(lag, 1)
        time.sleep(LOOK_EVERY)
    return early, lag_p99, None
