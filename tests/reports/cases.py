"""Reports made through the services; pass what the test is about."""

from tests.factories import MONDAY
from tests.worlds import make_listing
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.reports import queries, services
from tradeboard.reports.models import Report
from tradeboard.reports.rules import Reason
from tradeboard.trades.models import Message


def write(trade, author, text, *, at=MONDAY):
    """Let somebody have written in a trade; return the message's id."""
    with transaction():
        message = Message(trade_id=trade.id, author_id=author.id, text=text, sent_at=at)
        db.session.add(message)
        db.session.flush()
        return message.id


def report_listing(owner, by, *, now=MONDAY):
    """Let somebody report a new listing of somebody; return the report's id."""
    listing_id = make_listing(owner).id
    with transaction():
        target = queries.target_of_listing(listing_id, by)
        return services.report(target, Reason.SPAM, "同じです", by=by, now=now).id


def report_person(person, by, *, now=MONDAY):
    """Let somebody report a person; return the report's id."""
    with transaction():
        target = queries.target_of_person(person.handle)
        return services.report(target, Reason.HARASSMENT, "", by=by, now=now).id


def report_message(message_id, by, *, now=MONDAY):
    """Let somebody report a message of the own trade; return the report's id."""
    with transaction():
        target = queries.target_of_message(message_id, by)
        return services.report(target, Reason.CONTACT, "", by=by, now=now).id


def report(report_id):
    """Return a report as it is now."""
    db.session.rollback()
    return db.session.get_one(Report, report_id)
