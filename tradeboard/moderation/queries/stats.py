"""Read what the charts show: each is one statement or two, to a bound."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import func, select

from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import Appeal, Entry
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.moderation.rules import charts as rules
from tradeboard.moderation.rules.charts import Chart, Series
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import TradeState

MOST = 20_000
MOST_JOBS = 12
MINUTE = timedelta(minutes=1)
ENDS = (
    TradeState.RECEIVED,
    TradeState.DEFAULTED,
    TradeState.CANCELLED,
    TradeState.DECLINED,
    TradeState.WITHDRAWN,
    TradeState.LAPSED,
)


def _ended(now: datetime, weeks: int):
    return db.session.execute(
        select(Trade.ended_at, Trade.state)
        .where(Trade.ended_at >= rules.since(now, weeks))
        .order_by(Trade.ended_at.desc())
        .limit(MOST)
    ).all()


def trades(now: datetime, weeks: int) -> Chart:
    """Return how trades ended, by week."""
    starts, found = rules.weeks(now, weeks), _ended(now, weeks)
    series = [
        Series(
            end.value,
            rules.by_week((at for at, state in found if state is end), starts),
        )
        for end in ENDS
    ]
    return Chart("trades", "count", starts, series)


def steps(now: datetime, weeks: int) -> Chart:
    """Return how long each step took in the middle."""
    found = db.session.execute(
        select(
            Trade.started_at,
            Trade.agreed_at,
            Trade.phone_confirmed_at,
            Trade.first_dispatched_at,
            Trade.ended_at,
        )
        .where(
            Trade.ended_at >= rules.since(now, weeks),
            Trade.state == TradeState.RECEIVED,
        )
        .order_by(Trade.ended_at.desc())
        .limit(MOST)
    ).all()
    names = ("agree", "call", "dispatch", "receive")
    values = []
    for place in range(len(names)):
        spans = [
            end - begin
            for begin, end in ((row[place], row[place + 1]) for row in found)
            if begin is not None and end is not None
        ]
        values.append(rules.middle(spans))
    return Chart("steps", "days", names, [Series("median", values)])


def on_time(now: datetime, weeks: int) -> Chart:
    """Return the share of shipped trades that ended in time, with the numbers."""
    starts, found = rules.weeks(now, weeks), _ended(now, weeks)
    shipped = (TradeState.RECEIVED, TradeState.DEFAULTED)
    good = rules.by_week(
        (at for at, state in found if state is TradeState.RECEIVED), starts
    )
    every = rules.by_week((at for at, state in found if state in shipped), starts)
    series = [Series("rate", rules.shares(good, every)), Series("every", every)]
    return Chart("on_time", "percent", starts, series)


def entries(now: datetime, weeks: int) -> Chart:
    """Return the entries of the time by state."""
    counts = _entry_counts(Entry.state, now, weeks)
    values = [counts[state] for state in EntryState]
    labels = [state.value for state in EntryState]
    return Chart("entries", "count", labels, [Series("state", values)])


def findings(now: datetime, weeks: int) -> Chart:
    """Return the entries of the time by finding."""
    counts = _entry_counts(Entry.finding, now, weeks)
    values = [counts[finding] for finding in Finding]
    labels = [finding.value for finding in Finding]
    return Chart("findings", "count", labels, [Series("finding", values)])


def _entry_counts(column, now: datetime, weeks: int) -> Counter:
    rows = db.session.execute(
        select(column, func.count(Entry.id))
        .where(Entry.entered_at >= rules.since(now, weeks))
        .group_by(column)
    )
    return Counter({code: count for code, count in rows})


def lifted(now: datetime, weeks: int) -> Chart:
    """Return how many entries of each week were lifted within 14 days."""
    starts = rules.weeks(now, weeks)
    found = db.session.execute(
        select(Entry.entered_at, Entry.ended_at, Entry.state)
        .where(Entry.entered_at >= rules.since(now, weeks))
        .order_by(Entry.entered_at.desc())
        .limit(MOST)
    ).all()
    soon = (
        entered
        for entered, ended, state in found
        if state is EntryState.LIFTED
        and ended is not None
        and ended - entered <= rules.ENTRY_LIFTED_WITHIN
    )
    series = [
        Series("lifted", rules.by_week(soon, starts)),
        Series("entered", rules.by_week((row[0] for row in found), starts)),
    ]
    return Chart("lifted", "count", starts, series)


def appeals(now: datetime, _weeks: int) -> Chart:
    """Return how long open appeals have waited."""
    made = db.session.scalars(
        select(Appeal.made_at)
        .where(Appeal.state == AppealState.OPEN)
        .order_by(Appeal.made_at)
        .limit(MOST)
    )
    labels = ("days_3", "days_7", "days_14", "longer")
    return Chart("appeals", "count", labels, [Series("open", rules.by_age(made, now))])


def sign_ups(now: datetime, weeks: int) -> Chart:
    """Return who registered by week: all, and those who confirmed their address."""
    starts = rules.weeks(now, weeks)
    found = db.session.execute(
        select(Account.created_at, Account.email_confirmed_at)
        .where(Account.created_at >= rules.since(now, weeks))
        .order_by(Account.created_at.desc())
        .limit(MOST)
    ).all()
    series = [
        Series("registered", rules.by_week((row[0] for row in found), starts)),
        Series("confirmed", rules.by_week((at for at, done in found if done), starts)),
    ]
    return Chart("sign_ups", "count", starts, series)


def bounces(now: datetime, weeks: int) -> Chart:
    """Return the mails that were given up, by week."""
    starts = rules.weeks(now, weeks)
    found = db.session.scalars(
        select(OutboxMail.dead_at)
        .where(
            OutboxMail.queued_at >= rules.since(now, weeks),
            OutboxMail.dead_at.is_not(None),
        )
        .limit(MOST)
    )
    values = rules.by_week((at for at in found if at is not None), starts)
    return Chart("bounces", "count", starts, [Series("dead", values)])


def scheduler(now: datetime, _weeks: int) -> Chart:
    """Return how long ago each job last went well, the longest first."""
    found = db.session.execute(
        select(JobRun.name, JobRun.ok_at).order_by(JobRun.ok_at).limit(MOST_JOBS)
    ).all()
    values = [
        round((now - ok_at) / MINUTE) if ok_at is not None else None
        for _, ok_at in found
    ]
    return Chart(
        "scheduler", "minutes", [name for name, _ in found], [Series("ago", values)]
    )


CHARTS: dict[str, Callable[[datetime, int], Chart]] = {
    "trades": trades,
    "steps": steps,
    "on_time": on_time,
    "entries": entries,
    "findings": findings,
    "lifted": lifted,
    "appeals": appeals,
    "sign_ups": sign_ups,
    "bounces": bounces,
    "scheduler": scheduler,
}
