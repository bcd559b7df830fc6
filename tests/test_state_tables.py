"""Holds for every table in every rules module, on the day that it is written."""

import importlib
import pkgutil
from enum import StrEnum

import pytest

import tradeboard
from tradeboard.listings.rules import ListingState

# Reached by a verb that looks up where it came from, not by the table.
BACK_FROM = {ListingState.HIDDEN}


def tables():
    for module in pkgutil.walk_packages(tradeboard.__path__, "tradeboard."):
        if ".rules" in module.name:
            for name, value in vars(importlib.import_module(module.name)).items():
                if name.isupper() and is_table(value):
                    yield pytest.param(value, id=f"{module.name}.{name}")


def is_table(value):
    return (
        isinstance(value, dict)
        and bool(value)
        and all(is_move(key, target) for key, target in value.items())
    )


def is_move(key, target):
    return isinstance(key, tuple) and len(key) == 2 and type(key[0]) is type(target)


@pytest.mark.parametrize("table", list(tables()))
def test_every_state_is_entered_or_left_and_the_life_ends(table):
    left, entered = {state for state, _ in table}, set(table.values())
    (states,) = {type(state) for state in left | entered}

    assert issubclass(states, StrEnum)
    assert left | entered == set(states)
    assert entered - {state for state, event in table if event != "undo"}


def test_there_are_tables_to_hold_to_this():
    assert len(list(tables())) >= 4
