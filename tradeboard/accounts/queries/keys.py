"""Read which keys the rows of people name."""

from collections import Counter
from collections.abc import Callable

from sqlalchemy import Select, func, select

from tradeboard.accounts.models import Account, Device, Totp, Watch
from tradeboard.accounts.rules.holds import Signal
from tradeboard.core import kids
from tradeboard.core.db import db


def rows_by_key(purpose: str) -> Counter[str]:
    """Return how many rows name each key of a purpose."""
    named: dict[str, Callable[[], list[Select]]] = {
        "email": lambda: [_of_mailboxes(), _watched(Signal.MAILBOX)],
        "phone": lambda: [_watched(Signal.PHONE)],
        "device": lambda: [select(Device.kid)],
        "totp": lambda: [select(kids.in_sealed(Totp.secret).label("kid"))],
    }
    return kids.counted(*named[purpose]()) if purpose in named else Counter()


def mailboxes_to_move(kid: str) -> int:
    """Count the accounts whose mailbox is kept under another key."""
    found = select(func.count(Account.id)).where(
        Account.email_kid != kid, Account.erased_at.is_(None)
    )
    return db.session.scalar(found) or 0


def _of_mailboxes() -> Select:
    return select(Account.email_kid).where(Account.erased_at.is_(None))


def _watched(signal: Signal) -> Select:
    return select(Watch.kid).where(Watch.signal == signal)
