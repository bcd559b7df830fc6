"""What is watched for, until when, and under which cause."""

import secrets
from datetime import timedelta

import pytest

from tests.accounts.held import CAUSE, NUMBER, make_device, watch_device, watch_number
from tests.factories import A_MOMENT, MONDAY, count
from tradeboard.accounts import queries
from tradeboard.accounts.models import Watch
from tradeboard.accounts.services import watching
from tradeboard.core import keyring
from tradeboard.core.transaction import transaction

MAILBOX = "bob@example.com"
A_YEAR = timedelta(days=365)


def of_mailbox(canonical):
    return keyring.mac_hex("email", canonical), keyring.ring().kid("email")


def watch_mailbox(person, canonical=MAILBOX, *, cause=CAUSE):
    with transaction():
        watching.watch(
            person.id,
            cause,
            mailbox=of_mailbox(canonical),
            phones=[],
            devices=[],
            now=MONDAY,
        )


def found(canonical=MAILBOX):
    return queries.watched_mailbox(canonical, now=MONDAY)


def numbers(person, *, now=MONDAY):
    return queries.number_matches(NUMBER, person.id, now=now)


def test_a_mailbox_is_watched_until_its_cause_ends(alice, bob):
    watch_mailbox(bob)

    assert (found().account_id, found().cause) == (bob.id, CAUSE)
    assert found("carol@example.com") is None

    with transaction():
        watching.end(CAUSE)
    assert found() is None


def test_each_cause_ends_only_its_own(bob):
    watch_mailbox(bob)
    watch_mailbox(bob, cause="entry:2")

    with transaction():
        watching.end(CAUSE)

    assert found().cause == "entry:2"


def test_the_same_value_is_watched_once_for_a_cause(bob):
    for _ in range(2):
        watch_mailbox(bob)
        watch_number(bob)
        watch_device(bob, make_device(f"D-0000-000{_}"))

    assert count(Watch) == 4


def test_a_new_mailbox_is_watched_under_every_cause_that_watches_one(bob):
    watch_mailbox(bob)
    watch_mailbox(bob, cause="entry:2")
    watch_number(bob, cause="entry:3")

    with transaction():
        watching.add_mailbox(bob.id, *of_mailbox("robert@example.com"), now=MONDAY)

    assert count(Watch) == 5
    assert found("robert@example.com").cause == CAUSE
    assert found() is not None


def test_who_is_not_barred_has_no_mailbox_watched(bob):
    with transaction():
        watching.add_mailbox(bob.id, *of_mailbox("robert@example.com"), now=MONDAY)

    assert count(Watch) == 0


def test_a_number_proves_nothing_a_year_after_its_call(alice, bob):
    watch_number(bob, confirmed_at=MONDAY)

    (match,) = numbers(alice, now=MONDAY + A_YEAR - A_MOMENT)
    assert (match.other_id, match.cause) == (bob.id, CAUSE)
    assert numbers(alice, now=MONDAY + A_YEAR) == []


def test_a_number_that_was_confirmed_long_ago_is_not_watched_at_all(alice, bob):
    with transaction():
        watching.watch(
            bob.id,
            CAUSE,
            mailbox=None,
            phones=[("ab" * 32, "k1", MONDAY)],
            devices=[],
            now=MONDAY,
        )

    assert count(Watch) == 0


def test_nobody_is_found_by_the_own_number(bob):
    watch_number(bob)

    assert numbers(bob) == []


@pytest.fixture
def two_keys(app):
    """A new key is in use, the former one is still there."""
    ring = keyring.ring()
    keys = {purpose: dict(kids) for purpose, kids in ring.keys.items()}
    for purpose in ("email", "phone"):
        keys[purpose]["k2"] = secrets.token_bytes(32)
    current = dict(ring.current) | {"email": "k2", "phone": "k2"}
    keyring.use(keyring.Keyring(keys, current))
    yield
    keyring.use(ring)


def test_hashes_under_a_former_key_still_match(alice, bob, two_keys):
    watch_number(bob, kid="k1")
    with transaction():
        watching.watch(
            bob.id,
            CAUSE,
            mailbox=(keyring.mac_hex("email", MAILBOX, "k1"), "k1"),
            phones=[],
            devices=[],
            now=MONDAY,
        )

    assert [match.other_id for match in numbers(alice)] == [bob.id]
    assert found().account_id == bob.id
