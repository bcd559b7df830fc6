"""One report, and what can be reported by whom."""

from sqlalchemy import or_, select
from sqlalchemy.orm import joinedload

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.records import dataclass
from tradeboard.listings import queries as listings
from tradeboard.reports.models import Report
from tradeboard.reports.rules import ReportState, Subject
from tradeboard.trades.models import Message, Trade


@dataclass(frozen=True)
class Target:
    """What a report is about, whose it is, and what the reporter sees of it."""

    subject: Subject
    account_id: int
    handle: str
    words: str = ""
    listing_id: int | None = None
    message_id: int | None = None

    @property
    def number(self) -> int:
        """Return the number by which drafts and links tell it."""
        return self.listing_id or self.message_id or self.account_id


def target_of_listing(listing_id: int, by: Account) -> Target:
    """Return a listing that this person may see."""
    listing = listings.get_visible(listing_id, by)
    return Target(
        Subject.LISTING,
        listing.owner_id,
        listing.owner.handle,
        listings.title_of(listing),
        listing_id=listing.id,
    )


def target_of_message(message_id: int, by: Account) -> Target:
    """Return a message of a trade of this person's own; all others are not found."""
    row = db.session.execute(
        select(Message, Account.handle)
        .join(Trade, Trade.id == Message.trade_id)
        .join(Account, Account.id == Message.author_id)
        .where(
            Message.id == message_id,
            or_(Trade.poster_id == by.id, Trade.proposer_id == by.id),
        )
    ).one_or_none()
    if row is None:
        raise NotFound("このメッセージは見つかりません。")
    message, handle = row
    return Target(
        Subject.MESSAGE, message.author_id, handle, message.text, message_id=message.id
    )


def target_of_person(who: str) -> Target:
    """Return a person by a present or former handle."""
    account = accounts.find_by_handle(who)
    if account is None or account.closed_at is not None:
        raise NotFound("そのアカウントは見つかりません。")
    return Target(Subject.PERSON, account.id, account.handle)


def find_open(target: Target, reporter_id: int) -> Report | None:
    """Return what this person has already reported of it, if nobody answered yet."""
    return db.session.scalar(
        select(Report)
        .where(
            Report.reporter_id == reporter_id,
            Report.state == ReportState.OPEN,
            Report.subject == target.subject,
            Report.account_id == target.account_id,
            Report.listing_id.is_not_distinct_from(target.listing_id),
            Report.message_id.is_not_distinct_from(target.message_id),
        )
        .limit(1)
    )


def get_report(report_id: int) -> Report:
    """Return a report with its people, or raise NotFound."""
    report = db.session.scalar(
        select(Report)
        .where(Report.id == report_id)
        .options(joinedload(Report.account), joinedload(Report.reporter))
    )
    if report is None:
        raise NotFound("この知らせは見つかりません。")
    return report


def lock_report(report_id: int) -> Report:
    """Return a report that nobody else changes meanwhile, or raise NotFound."""
    db.session.execute(
        select(Report.id).where(Report.id == report_id).with_for_update()
    )
    db.session.expire_all()
    return get_report(report_id)
