"""What the tests of the blacklist do again and again."""

import io
from datetime import timedelta

from sqlalchemy import select

from tests import pictures
from tests.factories import A_MOMENT, DUE, MONDAY
from tests.worlds import TRACKED, make_trade
from tradeboard.accounts.models import Device, DeviceUse
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.services import appeals, review
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.rules.states import Condition
from tradeboard.trades.services import marks, shipping

A_DAY = timedelta(days=1)


def receive(trade, sender, *, now=DUE - A_MOMENT, condition=Condition.AS_AGREED):
    """Let the parcel of `sender` be received."""
    leg = trade.leg_from(sender.id)
    with transaction():
        shipping.confirm_receipt(
            leg.id,
            arrived_on=trades.day_in_japan(now),
            condition=condition,
            words="" if condition is Condition.AS_AGREED else "角が折れています",
            by=leg.recipient,
            now=now,
        )


def contest(trade, sender, *, now=DUE - timedelta(hours=2)):
    """Let `sender` say in time that it was delivered."""
    leg = trade.leg_from(sender.id)
    with transaction():
        marks.contest(leg.id, delivered_on=trades.day_in_japan(now), by=sender, now=now)


def withhold(trade, sender, *, now=DUE - A_DAY):
    """Let `sender` hold the own parcel back in time."""
    leg = trade.leg_from(sender.id)
    with transaction():
        marks.withhold(leg.id, by=sender, now=now)


def never_sent(alice, bob, **columns):
    """Let Alice's parcel arrive and Bob's never leave; return the trade."""
    trade = make_trade(alice, bob, sent_by=[alice], **columns)
    at = columns.get("at", MONDAY)
    receive(trade, alice, now=at + A_DAY)
    return trade


def listed(alice, bob, **columns):
    """Let Bob be listed since he never sent; return his entry."""
    trade = never_sent(alice, bob, **columns)
    sweep_overdue_trades(trade.due_at)
    return entry_of(bob, trade)


def both_sent(alice, bob, *, tracking=TRACKED):
    """Let both parcels be on their way."""
    return make_trade(alice, bob, sent_by=[alice, bob], tracking=tracking)


def entries():
    """Return who was entered, how, and why."""
    columns = select(Entry.handle, Entry.state, Entry.finding)
    return {tuple(row) for row in db.session.execute(columns)}


def entry_of(person, trade=None):
    """Return somebody's newest entry, or the one in a trade."""
    found = select(Entry).where(Entry.account_id == person.id)
    if trade is not None:
        found = found.where(Entry.trade_id == trade.id)
    return db.session.scalars(found.order_by(Entry.id.desc())).first()


def mails(person, name=None):
    """Return the names of the blacklist's mails to somebody."""
    found = select(OutboxMail.template).where(
        OutboxMail.account_id == person.id,
        OutboxMail.template.like(f"blacklist/mail/{name or '%'}.txt"),
    )
    names = db.session.scalars(found.order_by(OutboxMail.id))
    return [name.split("/")[-1].removesuffix(".txt") for name in names]


def use_device(person, code, at):
    """Let somebody have written from a device."""
    with transaction():
        device = db.session.scalar(select(Device).where(Device.code == code))
        if device is None:
            device = Device(
                key=f"key of {code}", kid="k1", code=code, first_seen=at, last_seen=at
            )
            db.session.add(device)
            db.session.flush()
        use = DeviceUse(account_id=person.id, device_id=device.id, used_at=at)
        db.session.add(use)


def do(verb, *args, **kwargs):
    """Do something in a transaction, as a page does."""
    with transaction():
        return verb(*args, **kwargs)


def uphold(entry, by, *, now, reason="record", version=None):
    """Let a moderator uphold an entry."""
    version = entry.version if version is None else version
    return do(
        review.uphold,
        entry.id,
        version,
        review.UpholdReason(reason),
        "発送の記録がありません。",
        by=by,
        now=now,
    )


def lift(entry, by, *, now, reason="delivered", version=None):
    """Let a moderator lift an entry."""
    version = entry.version if version is None else version
    return do(
        review.lift_by_moderator,
        entry.id,
        version,
        review.LiftReason(reason),
        "配達が確かめられました。",
        by=by,
        now=now,
    )


def token_in(person, mail):
    """Return the token of the newest link that was mailed to somebody."""
    found = select(OutboxMail.facts).where(
        OutboxMail.account_id == person.id,
        OutboxMail.template == f"blacklist/mail/{mail}.txt",
    )
    return db.session.scalars(found.order_by(OutboxMail.id.desc())).first()["token"]


def appeal(entry, person, words="控えがあります。", *, files=(), now=DUE + 2 * A_DAY):
    """Let the person appeal, signed in."""
    return do(
        appeals.appeal, entry.id, words, list(files), by=person, link=None, now=now
    )


def picture(name="控え.jpg", colour="green"):
    """Return a small photo as a form sends it."""
    return io.BytesIO(pictures.jpeg(colour)), name
