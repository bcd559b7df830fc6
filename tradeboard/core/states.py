"""State machines as plain tables: {(state, event): next state}."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from tradeboard.core.errors import Conflict

State = TypeVar("State", bound=StrEnum)


def may(table: Mapping[tuple[State, str], State], state: State, event: str) -> bool:
    """Tell whether the table permits `event` now; pages ask before offering it."""
    return (state, event) in table


def advance(
    table: Mapping[tuple[State, str], State], state: State, event: str
) -> State:
    """Return the state that `event` leads to, or raise Conflict."""
    if not may(table, state, event):
        raise Conflict(
            "いまの状態では、この操作はできません。画面を開きなおしてください。"
        )
    return table[state, event]
