"""Every address, everybody: who opens what, and what is changed by whom."""

import pytest

from tests.soaks import doors


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_every_door_answers_each_person_as_the_table_says_and_no_other_way(
    request, app
):
    drawn = request.config.getoption("--alternate")
    lines = doors.run(app, quick=True, drawn=drawn)

    assert {line["guarantee"]: line["violations"] for line in lines} == {
        "S4": 0,
        "S5": 0,
    }
    assert lines[0]["routes"] > 150
    assert lines[1]["cells"] > (600 if drawn else 1000)
