"""G5 and G6: schedulers beside each other, and schedulers that fail."""

from tests.soaks import failing, many
from tests.soaks.boards import on_each_database


def main(*, quick: bool, minutes: float) -> int:
    """Try both on an empty board of each database; return the violations."""
    together = on_each_database(lambda app, _: many.run(app, quick=quick)["violations"])
    failed = on_each_database(
        lambda app, _: failing.run(app, quick=quick)["violations"]
    )
    return together + failed
