import pytest

from tests.soaks import kills


@pytest.mark.timeout(600)
def test_killed_sweepers_enter_everybody_once():
    found = kills.run("sqlite", *kills.TINY)  # the soak kills on both databases

    assert found["violations"] == 0
    assert found["kills"] > 0
