from pathlib import Path

from sqlalchemy import Integer

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.privacy.queries import SECTIONS
from tradeboard.privacy.rules.plans import PLANS, Erasure

TABLES = db.metadata.tables
DOCUMENT = Path(__file__).parents[2] / "docs/privacy.md"


def names_a_person(column):
    """Tell of a column that is the id of an account, with or without a key."""
    if column.foreign_keys:
        targets = {key.column.table for key in column.foreign_keys}
        return Account.__table__ in targets
    is_id = column.name.endswith("_id") and isinstance(column.type, Integer)
    return is_id and column.name not in {"key_id", "trade_id"}


def test_every_table_has_a_plan_and_every_plan_a_table(app):
    assert set(PLANS) == set(TABLES)


def test_every_column_that_names_a_person_is_in_the_plan(app):
    found = {
        name: {column.name for column in table.columns if names_a_person(column)}
        for name, table in TABLES.items()
    }

    assert {name: set(plan.people) for name, plan in PLANS.items()} == found


def test_what_is_not_copied_or_not_erased_has_its_reason():
    for name, plan in PLANS.items():
        assert plan.file or plan.why_not, name
        if plan.erasure in (Erasure.KEPT, Erasure.BY_CLOCK):
            assert plan.why_kept, name


def test_every_file_of_the_copy_belongs_to_a_table_and_is_documented():
    document = DOCUMENT.read_text("utf-8")

    files = {file for plan in PLANS.values() for file in (plan.file, *plan.also)}
    assert files - {None} == set(SECTIONS)
    assert [name for name in SECTIONS if f"`{name}.json`" not in document] == []
