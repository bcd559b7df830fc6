"""Several changed rows are written in one statement, and as safely as one by one."""

import pytest
from sqlalchemy import update
from sqlalchemy.orm.exc import StaleDataError

from tests.factories import MONDAY
from tests.worlds import A_DAY, make_listing
from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.together import write_together
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Listing

LATER = MONDAY + A_DAY


@pytest.fixture
def listings(alice):
    """Three listings by number, not loaded."""
    return [make_listing(alice).id for _ in range(3)]


def loaded(ids):
    """Load listings in an order that is not theirs."""
    return [db.session.get(Listing, id) for id in reversed(ids)]


def kept(column, ids):
    """Return what the database has of a column, whatever is loaded."""
    db.session.rollback()
    table = Listing.__table__
    found = db.session.execute(db.select(table.c.id, table.c[column]))
    by_id = {id: value for id, value in found}
    return [by_id[id] for id in ids]


def test_rows_with_a_version_are_written_in_one_statement(listings, statements):
    before = kept("version", listings)

    with transaction():
        some = loaded(listings)
        for number, listing in enumerate(some):
            listing.changed_at, listing.note = LATER, f"note {number}"
        with statements() as seen:
            write_together(some)
            db.session.flush()
        assert [listing.version for listing in some] == [
            version + 1 for version in reversed(before)
        ]

    assert len(seen) == 1
    assert kept("note", listings) == ["note 2", "note 1", "note 0"]
    assert kept("version", listings) == [version + 1 for version in before]


def test_a_row_that_is_named_twice_is_written_once(listings):
    with transaction():
        some = loaded(listings)
        some[0].note = "once"
        write_together(some + some)

    assert kept("note", listings)[2] == "once"


def test_rows_are_changed_again_afterwards(listings):
    with transaction():
        some = loaded(listings)
        for listing in some:
            listing.note = "once"
        write_together(some)
        some[0].note = "twice"

    assert kept("note", listings) == ["once", "once", "twice"]


def test_whoever_wrote_meanwhile_is_not_overwritten(listings):
    def overtaken():
        with transaction():
            some = loaded(listings)
            for listing in some:
                listing.note = "late"
            faster = update(Listing.__table__).where(Listing.id == listings[1])
            db.session.connection().execute(
                faster.values(version=Listing.version + 1, note="fast")
            )
            write_together(some)

    with pytest.raises(StaleDataError):
        overtaken()

    assert "late" not in kept("note", listings)


def test_other_columns_take_another_statement(listings, statements):
    with transaction():
        some = loaded(listings)
        some[0].note = some[1].note = "words"
        some[2].changed_at = LATER
        with statements() as seen:
            write_together(some)

    assert len(seen) == 2
    assert kept("note", listings)[1:] == ["words", "words"]
    assert kept("changed_at", listings)[0] == LATER


def test_what_has_not_changed_is_not_written(listings, statements):
    before = kept("version", listings)

    with transaction():
        some = loaded(listings)
        some[0].note, some[1].changed_at = some[0].note, some[1].changed_at
        with statements() as seen:
            write_together(some)

    assert seen == []
    assert kept("version", listings) == before


def test_rows_without_a_version_are_written_together(alice, bob, statements):
    with transaction():
        people = [db.session.get(Account, person.id) for person in (bob, alice)]
        for person in people:
            person.ended_count = 7
        with statements() as seen:
            write_together(people)

    assert len(seen) == 1
    db.session.rollback()
    assert [person.ended_count for person in (alice, bob)] == [7, 7]


def test_a_new_row_is_left_to_the_flush(app, write, statements):
    account = Account(handle="new")
    db.session.add(account)

    with statements() as seen:
        write_together([account])

    assert seen == []


def test_nothing_is_written_outside_a_transaction(listings):
    with pytest.raises(RuntimeError, match="outside"):
        write_together(loaded(listings))
