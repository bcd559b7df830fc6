"""Connections to PostgreSQL: what they keep from page to page, and what they undo."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests import databases
from tradeboard.core.db import writing
from tradeboard.core.engines import engine_options

ASKED = text("SELECT :number + 1")
LATER = text("SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql")


@pytest.fixture
def engine(tmp_path: Path):
    """Return the board's own way to a database."""
    url = databases.url("postgresql", tmp_path)
    engine = create_engine(
        url.replace("postgresql:", "postgresql+psycopg:"), **engine_options(url)
    )
    yield engine
    engine.dispose()


def read(engine, statement, **values):
    """Read once as a page does, and give the connection back without a commit."""
    with engine.connect() as connection:
        return connection.execute(statement, values).scalar()


def test_what_is_prepared_outlives_pages_that_only_read(engine):
    for number in range(8):
        assert read(engine, ASKED, number=number) == number + 1

    assert read(engine, LATER) >= 1


def test_what_was_written_is_undone_all_the_same(engine):
    token = writing.set(True)
    with engine.connect() as connection:
        connection.execute(text("CREATE TABLE left_behind (id integer)"))
    writing.reset(token)

    assert read(engine, text("SELECT to_regclass('left_behind')")) is None
