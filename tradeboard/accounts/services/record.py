"""The record beside a name (B-03): columns that others count and hand over."""

from typing import Protocol

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account


class Counted(Protocol):
    """What a record consists of; each is a number of trades or parcels."""

    @property
    def completed(self) -> int:
        """Trades in which both parcels came as agreed."""

    @property
    def partners(self) -> int:
        """Different people among the partners of those."""

    @property
    def on_time(self) -> int:
        """Own parcels that came in time."""

    @property
    def ended(self) -> int:
        """Own parcels that came or fell due."""

    @property
    def late(self) -> int:
        """Own parcels that fell due."""

    @property
    def cancelled(self) -> int:
        """Trades cancelled before anything was sent."""


class Grades(Protocol):
    """How often feedback said which grade; each is a number of partners."""

    @property
    def good(self) -> int:
        """Partners who said that it was good."""

    @property
    def fair(self) -> int:
        """Partners who said that it was fair."""

    @property
    def bad(self) -> int:
        """Partners who said that it was bad."""


def keep(account: Account, counted: Counted) -> None:
    """Write a record as it was counted."""
    account.completed_count = counted.completed
    account.partner_count = counted.partners
    account.on_time_count = counted.on_time
    account.ended_count = counted.ended
    account.late_count = counted.late
    account.cancelled_count = counted.cancelled


def keep_grades(account_id: int, grades: Grades) -> None:
    """Write how often feedback said which grade, as it was counted."""
    account = queries.get_account(account_id)
    account.good_count = grades.good
    account.fair_count = grades.fair
    account.bad_count = grades.bad
