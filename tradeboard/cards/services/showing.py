"""Show the own lists to other members, or keep them to oneself."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account


def show_cards(shown: bool, *, by: Account, now: datetime) -> None:
    """Let the lists be seen and matched by others, or not."""
    accounts.get_account(by.id).shows_cards = shown
