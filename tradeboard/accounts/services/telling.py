"""Tell people that their ways in have changed, so that they notice a stranger."""

from datetime import datetime
from enum import StrEnum

from tradeboard.accounts.models import Account
from tradeboard.audit import services as audit
from tradeboard.notifications import services as notifications


class Change(StrEnum):
    """What somebody changed about logging in, as mail and audit log name it."""

    PASSKEY_ADDED = "passkey-added"
    PASSKEY_REMOVED = "passkey-removed"
    RECOVERY_CODES = "recovery-codes"
    SECOND_FACTOR_REMOVED = "second-factor-removed"
    SECOND_FACTOR_SET = "second-factor-set"


def tell_of_change(account: Account, what: Change, *, now: datetime) -> None:
    """Mail somebody what changed about logging in, and put it into the audit log."""
    whose = f"account:{account.id}"
    audit.record(what.value, whose, by_id=account.id, now=now)
    notifications.queue_mail(
        account,
        "accounts/mail/ways_in_changed.txt",
        key=f"ways-in:{account.id}:{what.value}:{now.isoformat()}",
        now=now,
        handle=account.handle,
        what=what.value,
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
