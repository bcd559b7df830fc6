"""Read what awaits moderators, across every feature."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlalchemy import column, func, select, table, union_all

from tradeboard.accounts.models import Account, Hold, StaffNote
from tradeboard.blacklist.models import Appeal, Entry
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.records import dataclass
from tradeboard.core.tally import Tally
from tradeboard.moderation.queries import spam
from tradeboard.moderation.queries.holds import WHICH
from tradeboard.moderation.rules import COUNTED, COUNTED_DAYS, Queue, Which
from tradeboard.notifications import queries as notifications
from tradeboard.notifications.models import OutboxMail
from tradeboard.notifications.rules import TEXT_IS_KEPT
from tradeboard.reports.models import Report
from tradeboard.reports.rules import ReportState
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules.states import Condition, TradeState

ALIVE = timedelta(minutes=3)
SWEEP = "sweep-overdue"


@dataclass(frozen=True)
class Counted:
    """How often something odd came in lately, and on which day last."""

    name: str
    count: int
    last: date


def queues(now: datetime) -> list[Queue]:
    """Return every queue of the desk; each is one statement that counts to a bound."""
    return [
        _count(
            "unreviewed",
            select(Entry.entered_at).where(
                Entry.state == EntryState.LISTED, Entry.review_by.is_not(None)
            ),
            Entry.entered_at,
        ),
        _count(
            "held",
            select(Entry.entered_at).where(Entry.state == EntryState.HELD),
            Entry.entered_at,
        ),
        _count(
            "appeals",
            select(Appeal.made_at).where(Appeal.state == AppealState.OPEN),
            Appeal.made_at,
        ),
        _count(
            "differs",
            select(Leg.received_at)
            .join(Trade, Trade.id == Leg.trade_id)
            .where(
                Trade.state == TradeState.SHIPPED,
                Trade.due_at.is_(None),
                Leg.condition == Condition.DIFFERS,
                Leg.solved_at.is_(None),
            ),
            Leg.received_at,
        ),
        _count(
            "calls",
            select(Trade.call_closed_at).where(
                Trade.state == TradeState.AGREED, Trade.call_closed_at.is_not(None)
            ),
            Trade.call_closed_at,
        ),
        _count(
            "holds",
            select(Hold.made_at).where(*WHICH[Which.OPEN]),
            Hold.made_at,
        ),
        _count(
            "reports",
            select(Report.made_at).where(Report.state == ReportState.OPEN),
            Report.made_at,
        ),
        _count_signals(now),
        _count_notes(),
        _count(
            "dead_mail",
            select(OutboxMail.queued_at).where(
                OutboxMail.dead_at.is_not(None),
                OutboxMail.sent_at.is_(None),
                OutboxMail.queued_at > now - TEXT_IS_KEPT,
            ),
            OutboxMail.queued_at,
        ),
        _count(
            "waiting_mail",
            select(OutboxMail.queued_at).where(*notifications.WAITING),
            OutboxMail.next_try_at,
        ),
    ]


def _count_signals(now: datetime) -> Queue:
    """Count what is alike; the longest waiting is the oldest of its kind."""
    found = spam.signals(now)
    oldest = min((signal.latest for signal in found), default=None)
    return Queue("signals", len(found), oldest)


def _count_notes() -> Queue:
    """Count what bars nobody: notes, and matches on devices that are shared."""
    notes = select(StaffNote.made_at).where(StaffNote.seen_at.is_(None))
    matches = select(Hold.made_at).where(*WHICH[Which.NOTES])
    both = union_all(notes, matches).subquery()
    return _count("notes", select(both.c.made_at), both.c.made_at)


def _count(name: str, found, order) -> Queue:
    some = found.order_by(order).limit(COUNTED + 1).subquery()
    moment = some.c[0]
    count, oldest = db.session.execute(select(func.count(), func.min(moment))).one()
    return Queue(name, count, oldest)


def job_runs() -> Sequence[JobRun]:
    """Return the last run of each job."""
    return db.session.scalars(select(JobRun).order_by(JobRun.name)).all()


def is_scheduler_red(now: datetime) -> bool:
    """Tell whether no job has ended well for three minutes."""
    ok_at = db.session.scalar(select(func.max(JobRun.ok_at)))
    return ok_at is None or now - ok_at > ALIVE


def sweep_ok_at() -> datetime | None:
    """Return when the sweep of overdue trades last went well."""
    return db.session.scalar(select(JobRun.ok_at).where(JobRun.name == SWEEP))


def handles(account_ids: set[int]) -> dict[int, str]:
    """Return the names of some people by their numbers."""
    rows = db.session.execute(
        select(Account.id, Account.handle).where(Account.id.in_(account_ids))
    )
    return {row.id: row.handle for row in rows}


def database() -> tuple[str, str | None]:
    """Return the kind of database and the revision of its tables."""
    revisions = table("alembic_version", column("version_num"))
    revision = db.session.scalar(select(revisions.c.version_num))
    return db.engine.dialect.name, revision


def tallies(now: datetime) -> list[Counted]:
    """Return the odd things of the last days, each with its number."""
    rows = db.session.execute(
        select(
            Tally.name, func.sum(Tally.count).label("n"), func.max(Tally.day).label("d")
        )
        .where(Tally.day > now.date() - timedelta(days=COUNTED_DAYS))
        .group_by(Tally.name)
        .order_by(Tally.name)
    )
    return [Counted(row.name, int(row.n), row.d) for row in rows]
