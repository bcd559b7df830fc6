"""Two changes on PostgreSQL, the second begun in the middle of the first.

SQLite lets one writer at a time in, so that there is no middle.
"""

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import pytest

from tests.accounts.held import make_device, the_holds, watch_device
from tests.factories import MONDAY, count, make_account
from tests.trades.stages import items
from tests.worlds import make_listing
from tradeboard.accounts import queries, tokens
from tradeboard.accounts.models import Account, Device, Handle, Watch
from tradeboard.accounts.services import (
    address,
    alarms,
    forgetting,
    holds,
    registration,
    rekeying,
)
from tradeboard.core import keyfile, keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Refusal
from tradeboard.core.transaction import transaction
from tradeboard.profiles import services as profiles
from tradeboard.trades import queries as trades
from tradeboard.trades.services import checking, negotiation

pytestmark = pytest.mark.parametrize("app", ["postgresql"], indirect=True)

# A change that waits for the first one's locks is left to wait.
A_WHILE = 0.3


class Meanwhile:
    """Does a second change, once, when the first one gets somewhere."""

    def __init__(self, app, monkeypatch):
        self.app, self.monkeypatch = app, monkeypatch
        self.pool, self.begun = ThreadPoolExecutor(1), []

    def __call__(self, module, name, act, *, before):
        """Begin `act` before or after the function of that name does its work."""
        real = getattr(module, name)

        def slow(*args, **kwargs):
            if before:
                self.begin(act)
            done = real(*args, **kwargs)
            self.begin(act)
            return done

        self.monkeypatch.setattr(module, name, slow)
        db.session.rollback()

    def begin(self, act):
        """Begin in a thread and transaction of its own; what must wait, waits."""
        if not self.begun:
            self.begun.append(self.pool.submit(self.run, act))
            wait(self.begun, A_WHILE)

    def run(self, act):
        with self.app.app_context():
            try:
                with transaction():
                    act()
            except Refusal as refusal:
                return refusal
            finally:
                db.session.remove()

    def ended(self):
        """Let the second change end, and look anew."""
        (second,) = self.begun
        second.result(timeout=20)
        db.session.rollback()


@pytest.fixture
def meanwhile(app, monkeypatch):
    """Return how to do a second change in the middle of the first."""
    made = Meanwhile(app, monkeypatch)
    yield made
    made.pool.shutdown()


def settle(verb):
    """Do the first change; refused is as good as done."""
    try:
        with transaction():
            verb()
    except Refusal:
        pass


def test_nobody_is_held_for_an_entry_that_is_lifted_meanwhile(
    app, alice, bob, meanwhile
):
    device = make_device()
    watch_device(bob, device)
    alice_id, bob_id, device_id = alice.id, bob.id, device.id
    meanwhile(
        alarms,
        "sound",
        lambda: holds.end_cause(bob_id, "entry:1", by_id=None, now=MONDAY),
        before=True,
    )

    settle(
        lambda: holds.device_seen(
            db.session.get_one(Account, alice_id),
            db.session.get_one(Device, device_id),
            now=MONDAY,
        )
    )

    meanwhile.ended()
    assert count(Watch) == 0
    assert [hold for hold in the_holds() if hold.ended_at is None] == []


def test_an_address_that_changes_while_keys_move_has_its_own_key(
    app, alice, own_keys, meanwhile
):
    alice_id = alice.id
    with transaction():
        person = db.session.get_one(Account, alice_id)
        token = tokens.issue(person, "change", email="new@example.org", now=MONDAY)
    keyfile.add(own_keys, "email", now=MONDAY)
    keyring.ring(at_once=True)
    change = partial(address.change, token, now=MONDAY)
    meanwhile(rekeying, "_change", change, before=True)

    settle(lambda: rekeying.rekey_all(now=MONDAY))

    meanwhile.ended()
    person = db.session.get_one(Account, alice_id)
    own = keyring.mac_hex("email", person.email_wire, person.email_kid)
    assert person.email_key == own


def test_whoever_confirms_while_being_forgotten_keeps_the_name_or_goes_whole(
    app, meanwhile
):
    late = make_account("late", confirmed=False, agreed=False)
    late_id = late.id
    with transaction():
        person = db.session.get_one(Account, late_id)
        token = tokens.issue(person, "confirm", now=MONDAY)
    confirm = partial(registration.confirm, token, now=MONDAY)
    meanwhile(queries, "forgettable_account_ids", confirm, before=False)

    settle(lambda: forgetting.forget_unconfirmed(late_id, now=MONDAY))

    meanwhile.ended()
    is_there = db.session.get(Account, late_id) is not None
    assert is_there == (count(Handle, Handle.account_id == late_id) == 1)


def test_whoever_leaves_while_offering_leaves_no_trade_behind(
    app, alice, bob, meanwhile
):
    listing = make_listing(alice)
    listing_id, bob_id, offered = listing.id, bob.id, items(listing)

    def leave():
        profiles.close(queries.get_account(bob_id), now=MONDAY)

    meanwhile(checking, "check", leave, before=False)

    settle(
        lambda: negotiation.propose(
            listing_id, offered, "", by=queries.get_account(bob_id), now=MONDAY
        )
    )

    meanwhile.ended()
    closed = queries.get_account(bob_id).closed_at is not None
    assert not (closed and trades.has_running_trade(bob_id))
