"""What a page does is tried again when only the lot went against it."""

import secrets

import pytest
from flask import current_app
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from tests.factories import MONDAY
from tradeboard.cards.models import Card
from tradeboard.core.db import db
from tradeboard.core.once import Submission
from tradeboard.web import acting

# SQLite lets one writer in at a time, who sees every number that is taken.
ON_POSTGRESQL = pytest.mark.parametrize("app", ["postgresql"], indirect=True)


@pytest.fixture
def act(app):
    """Return how to act as the account with the number 1."""

    def act(verb, submit_id=None):
        with current_app.test_request_context("/", method="POST"):
            return acting.act(submit_id, verb, by_id=1)

    return act


def drawn(*numbers):
    """Return a verb that gives a row the next of these numbers; it counts its tries."""
    tries = []

    def verb():
        tries.append(numbers[len(tries)])
        other = {"submit_id": secrets.token_hex(8), "target": "/", "at": MONDAY}
        db.session.add(Submission(id=tries[-1], account_id=1, **other))
        return "/"

    return verb, tries


def taken():
    """Return which numbers have a row."""
    db.session.rollback()
    return set(db.session.scalars(select(Submission.id)))


@ON_POSTGRESQL
def test_whoever_drew_a_number_that_is_taken_draws_again(act):
    act(drawn(7)[0])
    verb, tries = drawn(7, 8)

    assert act(verb).status_code == 303

    assert tries == [7, 8]
    assert taken() == {7, 8}


@ON_POSTGRESQL
def test_nobody_draws_for_ever(act):
    act(drawn(7)[0])
    verb, tries = drawn(7, 7, 7, 8)

    with pytest.raises(IntegrityError):
        act(verb)

    assert tries == [7, 7, 7]
    assert taken() == {7}


def test_another_broken_rule_of_the_table_is_not_tried_again(act, alice):
    tries = []

    def verb():
        tries.append(1)
        db.session.add(Card(account_id=None))
        return "/"

    with pytest.raises(IntegrityError):
        act(verb)

    assert tries == [1]
