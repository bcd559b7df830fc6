import re
from datetime import timedelta
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import tradeboard
from tests.factories import MONDAY
from tests.privacy.kinds import A_SECOND, Kinds
from tradeboard.privacy.rules.retention import RETENTION
from tradeboard.scheduler.timetable import JOBS

PAGE = Path(tradeboard.__file__).parent / "pages/texts/privacy.en.md"
DOCUMENT = Path(__file__).parents[2] / "docs/privacy.md"
DAYS = {row.kind: row.after for row in RETENTION if row.after is not None}
LIMITS = {
    "statement": DAYS["evidence"],
    "links": DAYS["mails"],
    "entries": timedelta(days=730),
    "several": timedelta(days=1825),
} | DAYS
JOB = {
    "statement": "purge-evidence",
    "links": "forget-old-rows",
    "several": "expire-entries",
} | {row.kind: row.jobs[0] for row in RETENTION if row.jobs}


def rows_under(heading, text):
    section = re.split("^## ", text, flags=re.M)
    source = next(part for part in section if part.startswith(heading))
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    cells = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "td_open"]
    columns = sum(t.type == "th_open" for t in tokens)
    return [tuple(cells[i : i + columns]) for i in range(0, len(cells), columns)]


def test_the_page_for_members_says_what_the_table_says():
    shown = rows_under("How long it is kept", PAGE.read_text("utf-8"))

    assert shown == [(row.data, row.kept) for row in RETENTION]


def test_the_document_says_it_with_the_jobs_which_all_run():
    shown = rows_under("How long", DOCUMENT.read_text("utf-8"))

    assert shown == [
        (row.data, row.kept, ", ".join(f"`{job}`" for job in row.jobs) or "none")
        for row in RETENTION
    ]
    assert {job for row in RETENTION for job in row.jobs} <= set(JOBS)


def test_every_kind_with_a_time_is_tried():
    assert set(DAYS) <= set(LIMITS)


@pytest.mark.parametrize("kind", sorted(LIMITS))
def test_of_two_a_second_before_and_after_their_limit_one_goes(app, moderator, kind):
    kinds = Kinds(moderator)
    make = getattr(kinds, kind)
    make(MONDAY - A_SECOND)
    left = make(MONDAY + A_SECOND)
    run = JOBS[JOB[kind]].run
    assert left() == 2

    run(MONDAY + LIMITS[kind])
    assert left() == 1

    run(MONDAY + LIMITS[kind])
    assert left() == 1
