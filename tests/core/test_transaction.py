from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.exc import DBAPIError

from tests.factories import MONDAY, count
from tradeboard.core.db import db
from tradeboard.core.once import Submission
from tradeboard.core.transaction import send_along, settle, transaction


def row(number):
    return Submission(account_id=1, submit_id=str(number), target="/", at=MONDAY)


def test_many_who_read_and_then_write_all_succeed(app):
    def write(number):
        with app.app_context(), transaction():
            count(Submission)
            db.session.add(row(number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(16)))

    assert count(Submission) == 16


def test_a_failure_leaves_nothing_behind(app):
    def fail():
        with transaction():
            db.session.add(row(1))
            db.session.flush()
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert count(Submission) == 0


def test_nobody_writes_outside_a_transaction(app):
    db.session.add(row(1))

    with pytest.raises(DBAPIError):
        db.session.flush()

    db.session.rollback()
    assert count(Submission) == 0


def test_a_transaction_inside_another_is_refused(app):
    with transaction(), pytest.raises(RuntimeError, match="inside"), transaction():
        pass


def test_changes_made_before_a_transaction_are_refused(app):
    db.session.add(row(1))

    with pytest.raises(RuntimeError, match="outside"), transaction():
        pass

    db.session.rollback()


def test_what_was_read_before_is_read_anew(app):
    with transaction():
        db.session.add(row(1))
    before = db.session.get(Submission, 1)

    def change():
        with app.app_context(), transaction():
            db.session.get(Submission, 1).target = "/elsewhere"

    with ThreadPoolExecutor(1) as pool:
        pool.submit(change).result()

    with transaction():
        assert before.target == "/elsewhere"


def test_an_errand_goes_along_with_the_next_change_alone(app):
    send_along(lambda: db.session.add(row(1)))

    with transaction():
        db.session.add(row(2))
    with transaction():
        db.session.add(row(3))
    settle()

    assert count(Submission) == 3


def test_a_change_that_fails_leaves_its_errand_to_be_done_once(app):
    send_along(lambda: db.session.add(row(1)))

    with pytest.raises(LookupError), transaction():
        raise LookupError
    failed = count(Submission)
    settle()
    settle()

    assert (failed, count(Submission)) == (0, 1)
