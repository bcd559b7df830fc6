"""What happened and when: written down in any order, done in the order of time."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from tradeboard.core.db import db

Verb = Callable[[datetime], Any]


class Diary:
    """Verbs, each with its instant; none lies ahead."""

    def __init__(self, until: datetime):
        self.until = until
        self._pages: list[tuple[datetime, int, Verb]] = []

    def on(self, at: datetime, verb: Verb) -> None:
        """Note what is to be done at an instant; of two at once the first noted."""
        if at > self.until:
            raise ValueError(f"{at} has not come yet")
        self._pages.append((at, len(self._pages), verb))

    def play(self) -> None:
        """Do everything, in the caller's transaction.

        After each verb all is read anew, as if each had a transaction of its own.
        """
        for at, _, verb in sorted(self._pages, key=lambda page: page[:2]):
            verb(at)
            db.session.flush()
            db.session.expire_all()
