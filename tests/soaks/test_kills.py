import pytest

from tests import databases
from tests.soaks import kills


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", databases.KINDS)
def test_killed_sweepers_enter_everybody_once(kind):
    found = kills.run(kind, *kills.QUICK)

    assert found["violations"] == 0
    assert found["kills"] > 0
