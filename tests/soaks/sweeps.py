"""G1, G3, G4, G7 and G8: what one sweep owes to each trade."""

from collections.abc import Callable
from pathlib import Path

from flask import Flask

from tests.soaks import agreement, early, missed, poison, receipt_races
from tests.soaks.boards import on_each_database


def main(*, quick: bool, minutes: float) -> int:
    """Try each on an empty board of each database; return the violations."""
    tries: list[Callable[[Flask], dict]] = [
        lambda app: receipt_races.run(app, quick=quick),
        lambda app: poison.run(app, quick=quick),
        lambda app: agreement.run(app, quick=quick),
        lambda _: early.run(quick=quick),
        lambda _: missed.run(quick=quick),
    ]
    if not quick:
        tries.append(early.live)
    return sum(on_each_database(_counting(one)) for one in tries)


def _counting(one: Callable[[Flask], dict]) -> Callable[[Flask, Path], int]:
    return lambda app, _: one(app)["violations"]
