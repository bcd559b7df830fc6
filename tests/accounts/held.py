"""What the tests of holds do again and again."""

from datetime import timedelta

from sqlalchemy import select

from tests.factories import MONDAY, in_transaction, look_anew, make_account
from tradeboard.accounts.models import Account, Device, Hold
from tradeboard.accounts.rules.holds import HoldDecision, counts_until
from tradeboard.accounts.services import holds, watching
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications.models import OutboxMail

NUMBER = "+819012340001"
AN_HOUR = timedelta(hours=1)
UNTIL = MONDAY + timedelta(hours=72)
CAUSE = "entry:1"


def make_device(code="D-0000-0001", *, shared=False, at=MONDAY):
    """Make a browser."""
    with in_transaction():
        device = Device(
            key=f"key of {code}",
            kid="k1",
            code=code,
            first_seen=at,
            last_seen=at,
            shared=shared,
        )
        db.session.add(device)
    return device


def watch_device(person, device, *, cause=CAUSE, at=MONDAY):
    """Watch for a barred person by a browser."""
    with in_transaction():
        watching.watch(
            person.id, cause, mailbox=None, phones=[], devices=[device], now=at
        )


def watch_number(person, *, cause=CAUSE, confirmed_at=MONDAY, number=NUMBER, kid=None):
    """Watch for a barred person by a number that was confirmed then."""
    kid = kid or keyring.ring().kid("phone")
    hash = keyring.mac_hex("phone", number, kid)
    with in_transaction():
        watching.watch(
            person.id,
            cause,
            mailbox=None,
            phones=[(hash, kid, counts_until(confirmed_at))],
            devices=[],
            now=confirmed_at,
        )


def see(person, device, *, now=MONDAY):
    """Let somebody write from a browser, as every page notes it."""
    person_id, device_id = person.id, device.id
    with transaction():
        holds.device_seen(
            db.session.get_one(Account, person_id),
            db.session.get_one(Device, device_id),
            now=now,
        )


def seal(person, *, now=MONDAY, number=NUMBER):
    """Let somebody seal a number."""
    person_id = person.id
    with transaction():
        holds.number_sealed(db.session.get_one(Account, person_id), number, now=now)


def decide(hold, decision, by, *, now=MONDAY + AN_HOUR, version=None):
    """Let a moderator decide about a pair."""
    with transaction():
        return holds.decide(
            hold.id,
            HoldDecision(decision),
            "家族の端末です。",
            version=hold.version if version is None else version,
            by=by,
            now=now,
        )


def the_holds():
    """Return every pair, oldest first."""
    look_anew()
    return db.session.scalars(select(Hold).order_by(Hold.id)).all()


def the_hold():
    """Return the only pair there is."""
    (hold,) = the_holds()
    return hold


def standing(person):
    """Return how somebody stands now."""
    db.session.rollback()
    return db.session.get(Account, person.id).standing


def mails_to(person):
    """Return the names of the mails about holds to somebody, in their order."""
    db.session.rollback()
    found = select(OutboxMail.template).where(
        OutboxMail.account_id == person.id, OutboxMail.template.like("%/mail/h%")
    )
    return [
        name.split("/")[-1].removesuffix(".txt")
        for name in db.session.scalars(found.order_by(OutboxMail.id))
    ]


def make_sibling(handle="dora", **columns):
    """Make somebody who shares things with a barred person."""
    return make_account(handle, **columns)
