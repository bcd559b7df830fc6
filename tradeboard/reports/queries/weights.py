"""How much open reports weigh: by who made them, and several of one thing as one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select
from sqlalchemy.orm import aliased

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.reports import rules
from tradeboard.reports.models import Report
from tradeboard.reports.rules import Outcome, ReportState

_Other, _Settled = aliased(Report), aliased(Report)

# Other open reports of the same thing, and the report itself.
_OF_THE_SAME = and_(
    _Other.state == ReportState.OPEN,
    _Other.account_id == Report.account_id,
    _Other.subject == Report.subject,
    _Other.listing_id.is_not_distinct_from(Report.listing_id),
    _Other.message_id.is_not_distinct_from(Report.message_id),
)
IS_FIRST = ~exists().where(_OF_THE_SAME, _Other.id < Report.id)


def lightness(now: datetime) -> ColumnElement[int]:
    """Return 1 for a thing that only those reported who weigh less, otherwise 0.

    Those are people without an ended trade, and those whose reports were in vain.
    """
    is_new = exists().where(Account.id == _Other.reporter_id, Account.ended_count == 0)
    in_vain = (
        select(func.count(_Settled.id))
        .where(
            _Settled.reporter_id == _Other.reporter_id,
            _Settled.outcome == Outcome.NOTHING,
            _Settled.settled_at > now - rules.IN_VAIN_FOR,
        )
        .scalar_subquery()
    )
    weighs_less = case((or_(is_new, in_vain >= rules.MOST_IN_VAIN), 1), else_=0)
    return select(func.min(weighs_less)).where(_OF_THE_SAME).scalar_subquery()


def lightness_of(report_id: int, now: datetime) -> int:
    """Return how one report stands in the queue; 0 for one that is settled."""
    found = select(lightness(now)).where(Report.id == report_id)
    return db.session.scalar(found) or 0


def numbers(reports: Sequence[Report]) -> dict[int, int]:
    """Return for each report how many open ones there are of the same thing."""
    several: Any = select(func.count(_Other.id)).where(_OF_THE_SAME).scalar_subquery()
    rows = db.session.execute(
        select(Report.id, several).where(Report.id.in_([one.id for one in reports]))
    )
    return {report_id: number for report_id, number in rows}
