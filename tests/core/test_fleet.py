from datetime import timedelta

from sqlalchemy import select

from tests.factories import MONDAY
from tradeboard.core import fleet, keyring
from tradeboard.core.db import db
from tradeboard.core.fleet import Node
from tradeboard.core.transaction import transaction

A_MINUTE = timedelta(minutes=1)


def node(name, **facts):
    """Return a process that agrees with all others but in what is named."""
    alike = {
        "kind": "web",
        "version": "1.0",
        "revision": "0006",
        "keys": {"email": ["k1"]},
        "prints": "a1",
        "apart_ms": 3,
        "started_at": MONDAY,
        "seen_at": MONDAY,
    }
    return Node(name=name, **alike | facts)


def test_a_process_says_once_who_it_is_and_is_forgotten_after_a_day(app, monkeypatch):
    with transaction():
        db.session.add(node("old:1", seen_at=MONDAY - fleet.KEPT - A_MINUTE))
    monkeypatch.setattr(fleet.clock, "now", lambda: MONDAY)
    monkeypatch.setattr(fleet, "clock_apart", lambda: timedelta(milliseconds=7))

    fleet.report("web", MONDAY - A_MINUTE)
    fleet.report("web", MONDAY - A_MINUTE)

    (said,) = db.session.scalars(select(Node))
    assert (said.name, said.kind, said.apart_ms) == (fleet.name(), "web", 7)
    assert said.revision == fleet.revision_of_code() >= "0006"
    assert said.version == fleet.version()
    assert said.keys["email"] == ["k1"]
    assert (said.started_at, said.seen_at) == (MONDAY - A_MINUTE, MONDAY)
    assert list(fleet.awake(MONDAY + fleet.AWAKE - A_MINUTE)) == [said]
    assert list(fleet.awake(MONDAY + fleet.AWAKE)) == []


def test_prints_tell_rings_and_secrets_apart_and_nothing_else(app, rotate):
    ring = keyring.ring()
    first = fleet.prints(ring, "a secret")

    assert first == fleet.prints(ring, "a secret")
    assert first != fleet.prints(ring, "another secret")
    rotate("email")
    assert first != fleet.prints(keyring.ring(), "a secret")
    assert len(first) == 12


def test_processes_that_disagree_are_named():
    alike = [node("a:1"), node("b:1"), node("c:1", kind="scheduler")]
    assert fleet.differences(alike) == []
    assert fleet.differences([]) == []

    other = node("d:1", version="1.1", prints="b2", apart_ms=2500)
    found = fleet.differences([*alike[:2], other])

    assert [one.what for one in found] == ["version", "prints", "clock", "scheduler"]
    assert found[0].words == "The version differs: 1.0 on a:1, b:1; 1.1 on d:1."
    assert found[2].words == "The clock of d:1 is 2.5 s off."
    assert all(one.remedy for one in found)


def test_the_clock_of_this_machine_is_that_of_the_database(app):
    assert fleet.clock_apart() < fleet.MOST_APART
