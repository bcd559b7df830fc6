"""The guarantees of scheduling, quick; `run.py soak` tries the same for long."""

import ast
from pathlib import Path

import pytest

from tests.soaks import (
    agreement,
    early,
    failing,
    kills,
    many,
    missed,
    points,
    poison,
    receipt_races,
)

ROOT = Path(__file__).parents[1]
# Costly, and about processes more than about tables; `soak --quick` tries both.
ON_SQLITE = pytest.mark.parametrize("app", ["sqlite"], indirect=True)
ON_POSTGRESQL = pytest.mark.parametrize("app", ["postgresql"], indirect=True)
LENGTHS = {"TWO_WEEKS", "EXTENSION"}


@pytest.mark.in_turn("app")
def test_no_overdue_trade_is_missed(app):
    assert missed.run(quick=True)["violations"] == 0


@pytest.mark.in_turn("app")
def test_whatever_is_killed_each_is_entered_and_told_once(app):
    assert kills.run(app, quick=True)["violations"] == 0


@pytest.mark.in_turn("app")
def test_of_receipt_and_sweep_exactly_one_wins(app):
    assert receipt_races.run(app, quick=True)["violations"] == 0


@ON_SQLITE
def test_one_poison_trade_stops_no_other(app):
    assert poison.run(app, quick=True)["violations"] == 0


@ON_SQLITE
def test_all_or_nothing_wherever_a_process_ends(app):
    assert points.run(quick=True)["violations"] == 0


def test_nobody_is_entered_early_nor_late_in_any_zone(app):
    assert early.run(quick=True)["violations"] == 0


@ON_SQLITE
def test_page_calendar_mail_look_up_and_sweep_agree(app):
    assert agreement.run(app, quick=True)["violations"] == 0


@ON_POSTGRESQL
def test_schedulers_beside_each_other_do_all_once(app):
    assert many.run(app, quick=True)["violations"] == 0


@ON_SQLITE
def test_a_failing_scheduler_is_seen_and_heals(app):
    assert failing.run(app, quick=True)["violations"] == 0


def test_one_function_computes_the_due_instant():
    """Whatever sets it asks that function, or sets it to nothing."""
    given = ("None", "clock.due_at(", "due_at", "queries.due_of(")
    found, named = [], []
    for module in (ROOT / "tradeboard" / "trades").rglob("*.py"):
        tree = ast.parse(module.read_text(encoding="utf-8"))
        name = str(module.relative_to(ROOT / "tradeboard"))
        named += [name for one in ast.walk(tree) if _names(one) & LENGTHS]
        found += [(name, value) for value in _given_due(tree)]

    assert set(named) == {"trades/rules/clock.py"}
    assert [one for one in found if not one[1].startswith(given)] == []
    assert len(found) >= 4


def _names(node) -> set[str]:
    found = [getattr(node, "id", ""), getattr(node, "attr", "")]
    return set(found)


def _given_due(tree) -> list[str]:
    """Return what is assigned to any `due_at`, as text."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign):
            found += [ast.unparse(node)] if _ends_in_due(node.target) else []
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=True))
                found += [ast.unparse(v) for t, v in pairs if _ends_in_due(t)]
    return found


def _ends_in_due(target) -> bool:
    return getattr(target, "attr", getattr(target, "id", "")) == "due_at"
