"""The guarantees of data, quick; `run.py soak` tries the same for long."""

import pytest

from tests import databases
from tests.conftest import compiled_templates
from tests.soaks import boards, http_races, kept, lives


@pytest.fixture
def environment(app, ring):
    """Return what another process needs to serve the board of this test."""
    return {**boards.environment_of(app), "TEST_TEMPLATES": compiled_templates(ring)}


@pytest.mark.in_turn("app")
def test_whatever_two_do_at_once_is_done_once(app, environment):
    assert http_races.run(app, environment, quick=True)["violations"] == 0


@pytest.mark.in_turn("kind")
@pytest.mark.parametrize("kind", databases.KINDS)
def test_what_was_acknowledged_is_kept(kind):
    assert kept.run(kind, quick=True)["violations"] == 0


@pytest.mark.in_turn("app")
def test_a_trade_lives_as_the_model_of_its_rules_does(app):
    assert lives.run(quick=True)["violations"] == 0
