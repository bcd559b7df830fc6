import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from tests.factories import MONDAY, count
from tradeboard.audit import queries, services
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction


def record(*objects):
    with transaction():
        for number, thing in enumerate(objects):
            services.record("look", thing, by_id=1, now=MONDAY, number=number)


def test_a_row_belongs_to_the_change_that_it_tells_of(app):
    def fail():
        with transaction():
            services.record("look", "entry:1", by_id=1, now=MONDAY)
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert count(AuditRow) == 0


@pytest.mark.parametrize(
    "change", [update(AuditRow).values(action="nothing"), delete(AuditRow)]
)
def test_nobody_changes_or_deletes_a_row(app, change):
    record("entry:1")

    with pytest.raises(DBAPIError), transaction():
        db.session.execute(change)

    assert [row.action for row in queries.newest()] == ["look"]


def test_what_was_recorded_about_one_thing_is_told_in_order(app):
    record("entry:1", "entry:2", "entry:1")

    assert [row.body["number"] for row in queries.rows_about("entry:1")] == [0, 2]


def test_the_newest_come_first_and_go_on_before_a_number(app):
    record("entry:1", "entry:2", "entry:3")

    newest = queries.newest(limit=2)

    assert [row.object for row in newest] == ["entry:3", "entry:2"]
    rest = queries.newest(before=newest[-1].seq)
    assert [row.object for row in rest] == ["entry:1"]
