"""Nobody copies the list by asking: a short try of what the soak tries for long."""

import pytest

from tests.soaks import harvest


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_an_enumerator_stays_under_its_quota_and_steals_no_key(app, capsys):
    assert harvest.run(app, quick=True) == 0, capsys.readouterr().out
