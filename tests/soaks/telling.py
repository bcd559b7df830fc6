"""What a proof of security found wrong, and its line."""

import time

from tests import sizes
from tests.soaks import guarantees
from tradeboard.core.db import db


class Telling:
    """Collects what is wrong while a proof runs."""

    def __init__(self, name: str, quick: bool):
        self.name, self.quick = name, quick
        self.wrong: list[str] = []
        self.began = time.monotonic()

    def check(self, is_right: bool, words: str) -> None:
        """Write down what is wrong unless it is right."""
        if not is_right:
            self.wrong.append(words)

    def tell(self, *, n: int, touches_database: bool = True, **extras) -> dict:
        """Print what is wrong, and the line."""
        for words in self.wrong[:20]:
            print(f"{self.name}: {words}", flush=True)
        return guarantees.report(
            guarantee=self.name,
            db=db.engine.dialect.name if touches_database else None,
            size=sizes.name(quick=self.quick),
            n=n,
            violations=len(self.wrong),
            secs=round(time.monotonic() - self.began, 1),
            **({"seed": None} | extras),
        )
