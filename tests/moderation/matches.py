"""Make a barred person, somebody who shares a signal with her, and what both did."""

from datetime import timedelta

from tests.factories import MONDAY, in_transaction, make_account
from tests.worlds import make_trade
from tradeboard.accounts.models import Account, Device, DeviceUse, Hold, Restriction
from tradeboard.accounts.rules import holds as rules
from tradeboard.accounts.rules.holds import Signal
from tradeboard.accounts.rules.phone import masked
from tradeboard.accounts.rules.standing import Standing
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.trades.models import PhoneSide
from tradeboard.trades.rules.findings import Finding

DAY = timedelta(days=1)


def make_device(code, **columns):
    """Make a browser; its key is what nobody may ever see."""
    with in_transaction():
        device = Device(
            key=f"the hash of {code}",
            kid="d1",
            code=code,
            first_seen=MONDAY,
            last_seen=MONDAY,
            **columns,
        )
        db.session.add(device)
    return device


def use(account, device, *instants):
    """Let somebody write from a browser at some instants."""
    with in_transaction():
        for used_at in instants:
            db.session.add(
                DeviceUse(account_id=account.id, device_id=device.id, used_at=used_at)
            )


def make_entry(account, *, due_at=MONDAY):
    """List somebody publicly."""
    with in_transaction():
        entry = Entry(
            account_id=account.id,
            handle=account.handle,
            finding=Finding.NEVER_DISPATCHED,
            state=EntryState.LISTED,
            due_at=due_at,
            entered_at=due_at,
            listed_at=due_at,
        )
        db.session.add(entry)
    return entry


def make_hold(account, other, *, now, device=None, note=False, **columns):
    """Hold somebody for sharing a signal with somebody barred, or note it."""
    low, high = rules.pair(account.id, other.id)
    columns.setdefault("cause", "entry:1")
    columns.setdefault("signal", Signal.DEVICE if device else Signal.PHONE)
    until = None if note else rules.held_until(now)
    columns.setdefault("until", until)
    with in_transaction():
        hold = Hold(
            account_id=account.id,
            other_id=other.id,
            low_id=low,
            high_id=high,
            device_id=device.id if device else None,
            made_at=now,
            **columns,
        )
        db.session.add(hold)
        db.session.flush()
        if hold.until and not hold.ended_at:
            db.session.add(
                Restriction(
                    account_id=account.id,
                    cause=f"hold:{hold.id}",
                    standing=Standing.HELD,
                    since=now,
                    until=hold.until,
                )
            )
            db.session.get_one(Account, account.id).standing = Standing.HELD
    return hold


def confirm_number(account, number, *, at=MONDAY, partner=None):
    """Let somebody have confirmed a number by a call, with whomever."""
    partner = partner or make_account(f"partner of {account.handle}")
    trade = make_trade(account, partner, at=at)
    with in_transaction():
        side = db.session.scalars(
            db.select(PhoneSide).where(
                PhoneSide.trade_id == trade.id, PhoneSide.account_id == account.id
            )
        ).one()
        side.number_hash = keyring.mac_hex("phone", number)
        side.number_kid = keyring.ring().kid("phone")
        side.number_masked = masked(number)
    return trade


def standing_of(account):
    """Return how somebody stands by now."""
    db.session.rollback()
    return db.session.get_one(Account, account.id).standing
