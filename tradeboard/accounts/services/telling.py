"""Tell people that their ways in have changed, so that they notice a stranger."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.notifications import services as notifications

CHANGES = frozenset(
    {
        "passkey-added",
        "passkey-removed",
        "recovery-codes",
        "second-factor-removed",
        "second-factor-set",
    }
)


def tell(account: Account, what: str, *, now: datetime) -> None:
    """Mail somebody what changed about logging in, and when."""
    if what not in CHANGES:
        raise ValueError(what)
    notifications.queue_mail(
        account,
        "accounts/mail/ways_in_changed.txt",
        key=f"ways-in:{account.id}:{what}:{now.isoformat()}",
        now=now,
        handle=account.handle,
        what=what,
        at=now,
    )


def tell_of_wrong_tries(account: Account, *, now: datetime) -> None:
    """Mail somebody, once a day, that strangers try for the account."""
    notifications.queue_mail(
        account,
        "accounts/mail/wrong_tries.txt",
        key=f"wrong-tries:{account.id}:{now.date().isoformat()}",
        now=now,
        handle=account.handle,
        at=now,
    )
