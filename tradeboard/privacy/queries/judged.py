"""Read what the person said of others, and what was said to and of the person."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.feedback.models import Feedback
from tradeboard.reports.models import MemberWarning, Report


def feedback(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the feedback that the person wrote, and what is shown about the person."""
    about = (Feedback.about_id == owner.id) & Feedback.shown_at.is_not(None)
    own = select(Feedback).where((Feedback.by_id == owner.id) | about)
    for row in db.session.scalars(own.order_by(Feedback.id)):
        is_own = row.by_id == owner.id
        yield {
            "trade": row.trade_id,
            "own": is_own,
            "grade": row.grade,
            "tags": row.tags,
            "words": row.words if is_own or row.hidden_at is None else "",
            "written_at": row.written_at,
            "shown_at": row.shown_at,
        }


def reports(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the reports that the person made; never those that others made."""
    own = select(Report).where(Report.reporter_id == owner.id).order_by(Report.id)
    for row in db.session.scalars(own):
        yield {
            "subject": row.subject,
            "listing": row.listing_id,
            "message": row.message_id,
            "reason": row.reason,
            "words": row.words,
            "made_at": row.made_at,
            "settled_at": row.settled_at,
            "outcome": row.outcome,
        }


def warnings(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield what moderators warned the person of; not which of them."""
    own = select(MemberWarning).where(MemberWarning.account_id == owner.id)
    for row in db.session.scalars(own.order_by(MemberWarning.id)):
        yield {
            "reason": row.reason,
            "sentence": row.sentence,
            "at": row.at,
            "seen_at": row.seen_at,
        }
