"""What sealing a number tells the moderators; it never stops a running trade."""

import pytest
from sqlalchemy import select

from tests.accounts.held import watch_number
from tests.factories import make_account
from tests.trades.stages import ADDRESS, AGREED_AT, HOUR, NUMBERS, Stage
from tradeboard.accounts.models import Account, Hold, StaffNote
from tradeboard.accounts.rules.holds import HOLD_LASTS, NoteKind, Signal
from tradeboard.accounts.rules.phone import check_phone
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken
from tradeboard.trades.services import phone

SEALED_AT = AGREED_AT + HOUR


def seal(stage, person, number, *, now=SEALED_AT):
    return phone.seal(stage.id, number, "JP", ADDRESS, by=person, now=now)


def notes():
    rows = db.session.scalars(select(StaffNote).order_by(StaffNote.id))
    return [(row.kind, row.account_id, row.detail) for row in rows]


def watch(person, number):
    key = check_phone(number).key
    watch_number(person, number=key, confirmed_at=AGREED_AT)


@pytest.mark.parametrize(
    ("number", "code"), [("050-3123-4567", "voip"), ("090-1234-5678", "dummy")]
)
def test_an_unusual_number_is_sealed_and_noted_by_its_code(
    write, alice, bob, number, code
):
    stage = Stage(alice, bob).agreed()

    own = seal(stage, alice, number)
    seal(stage, alice, number)

    assert own.sealed_at == SEALED_AT
    assert notes() == [(NoteKind.PHONE, alice.id, code)]


def test_a_usual_number_leaves_no_note(write, alice, bob):
    stage = Stage(alice, bob).agreed()

    seal(stage, alice, NUMBERS["alice"])

    assert notes() == []


def test_the_number_of_a_barred_person_holds_but_is_sealed(write, alice, bob):
    stage = Stage(alice, bob).agreed()
    watch(make_account("carl"), NUMBERS["alice"])

    own = seal(stage, alice, NUMBERS["alice"])

    hold = db.session.scalars(select(Hold)).one()
    assert own.sealed_at == SEALED_AT
    assert (hold.account_id, hold.signal) == (alice.id, Signal.PHONE)
    assert hold.until == SEALED_AT + HOLD_LASTS
    assert db.session.get(Account, alice.id).standing is Standing.HELD


def test_a_held_person_goes_on_with_the_call(write, alice, bob):
    stage = Stage(alice, bob).agreed()
    watch(make_account("carl"), NUMBERS["alice"])
    seal(stage, alice, NUMBERS["alice"])

    seal(stage, bob, NUMBERS["bob"])
    seal(stage, alice, "080-2222-3333", now=SEALED_AT + HOUR)

    assert stage.trade.revealed_at is None
    assert db.session.get(Account, bob.id).standing is Standing.GOOD


def test_a_number_that_is_refused_holds_nobody(write, alice, bob):
    stage = Stage(alice, bob).one_sealed()
    watch(make_account("carl"), NUMBERS["alice"])

    with pytest.raises(RuleBroken):
        seal(stage, bob, NUMBERS["alice"])

    assert db.session.scalars(select(Hold)).all() == []
