"""How the tests of the desk press its buttons."""

from tests import pages
from tradeboard.blacklist.models import Claim
from tradeboard.core.db import db

SENTENCE = "記録で足ります。"


def url_of(entry):
    """Return the address of an entry's page on the desk."""
    return f"/desk/entries/{entry.id}"


def read(client, url):
    """Return the words of a page."""
    return pages.text(pages.get(client, url))


def fresh(row):
    """Return a row as it is by now."""
    db.session.rollback()
    return db.session.get(type(row), row.id)


def claim_of(entry):
    """Return who is at an entry, lapsed or not."""
    db.session.rollback()
    return db.session.get(Claim, entry.id)


def decide(client, entry, url=None, **fields):
    """Fill in the decision and go on to its review page."""
    given = {"decision": "uphold", "reason": "record", "sentence": SENTENCE} | fields
    action = f"{url_of(entry)}/decide"
    url = url or url_of(entry)
    return pages.submit(client, url, action, button="確認へ進む", **given)


def settle(client, entry, page, button="この判断を確定する"):
    """Press a button of the review page."""
    url = url_of(entry)
    return pages.send(client, url, page, f"{url}/decide", button=button)


def newest(model):
    """Return the row that was made last."""
    db.session.rollback()
    return db.session.scalars(db.select(model).order_by(model.id.desc())).first()
