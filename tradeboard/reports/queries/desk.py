"""Read what awaits moderators, and what stands around a reported thing."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_
from sqlalchemy.orm import joinedload

from tradeboard.accounts.models import Account
from tradeboard.core import paging
from tradeboard.core.db import db
from tradeboard.notifications.models import OutboxMail
from tradeboard.reports import rules
from tradeboard.reports.models import Report
from tradeboard.reports.queries import weights
from tradeboard.reports.rules import ReportState, Which
from tradeboard.trades.models import Message

MOST_ALIKE = 20


def queue(
    which: Which, after: paging.Cursor | None, *, by_id: int, now: datetime
) -> Sequence[Report]:
    """Return a page of reports and one more: open ones oldest first, others newest.

    Of several about one thing the first stands for all while they wait; what only
    those reported who weigh less comes last. Those about the reader are for others.
    """
    found = select(Report).where(Report.account_id != by_id)
    found = found.options(joinedload(Report.account), joinedload(Report.reporter))
    key = tuple_(Report.made_at, Report.id)
    if which is Which.OPEN:
        light = weights.lightness(now)
        found = found.where(Report.state == ReportState.OPEN, weights.IS_FIRST)
        found = found.order_by(light, Report.made_at, Report.id)
        past = None if after is None else _past(light, after, now)
    elif which is Which.SETTLED:
        found = found.where(Report.state == ReportState.SETTLED)
        found = found.order_by(Report.made_at.desc(), Report.id.desc())
        past = None if after is None else key < (after.at, after.id)
    else:
        found = found.where(Report.state == ReportState.OPEN)
        found = found.order_by(Report.made_at, Report.id)
        past = None if after is None else key > (after.at, after.id)
    if which is Which.MINE:
        live = now - rules.CLAIM_LAPSES_AFTER
        found = found.where(Report.claimed_by_id == by_id, Report.claimed_at > live)
    if past is not None:
        found = found.where(past)
    return db.session.scalars(found.limit(paging.PAGE_SIZE + 1)).all()


def _past(
    light: ColumnElement[int], after: paging.Cursor, now: datetime
) -> ColumnElement[bool]:
    """Tell what stands behind the last row of the page before."""
    where = weights.lightness_of(after.id, now)
    later = tuple_(Report.made_at, Report.id) > (after.at, after.id)
    return or_(light > where, and_(light == where, later))


def alike(report: Report) -> Sequence[Report]:
    """Return other open reports about the same thing."""
    return db.session.scalars(
        select(Report)
        .where(
            Report.id != report.id,
            Report.state == ReportState.OPEN,
            Report.account_id == report.account_id,
            Report.subject == report.subject,
            Report.listing_id.is_not_distinct_from(report.listing_id),
            Report.message_id.is_not_distinct_from(report.message_id),
        )
        .order_by(Report.made_at)
        .limit(MOST_ALIKE)
    ).all()


def around(message_id: int) -> list[tuple[Message, str]]:
    """Return a message with the few before and after it, and who wrote each."""
    trade = select(Message.trade_id).where(Message.id == message_id).scalar_subquery()
    several = select(Message, Account.handle).join(
        Account, Account.id == Message.author_id
    )
    several = several.where(Message.trade_id == trade)
    before = db.session.execute(
        several.where(Message.id <= message_id)
        .order_by(Message.id.desc())
        .limit(rules.AROUND + 1)
    ).all()
    after = db.session.execute(
        several.where(Message.id > message_id).order_by(Message.id).limit(rules.AROUND)
    ).all()
    return [(row[0], row[1]) for row in (*reversed(before), *after)]


def handle_of(account_id: int | None) -> str:
    """Return somebody's name; nobody has none."""
    found = select(Account.handle).where(Account.id == account_id)
    return db.session.scalar(found) or ""


def is_outsider(report: Report, by: Account) -> bool:
    """Tell whether a moderator may decide: it is neither by nor about him."""
    return by.id not in (report.account_id, report.reporter_id)


def newest_mail_id() -> int:
    """Return the number of the mail that was queued last."""
    return db.session.scalar(select(func.max(OutboxMail.id))) or 0


def mails_after(mail_id: int) -> Sequence[OutboxMail]:
    """Return the mails that were queued after another one."""
    return db.session.scalars(
        select(OutboxMail).where(OutboxMail.id > mail_id).order_by(OutboxMail.id)
    ).all()
