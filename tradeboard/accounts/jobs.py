"""What time does to accounts."""

from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import RULES_VERSION
from tradeboard.accounts.services import forgetting, holds, rekeying, standing
from tradeboard.core import keyring, throttle
from tradeboard.core.sweep import sweep, until_none
from tradeboard.core.transaction import transaction
from tradeboard.notifications import queries as notifications
from tradeboard.notifications import services as telling


def end_restrictions(now: datetime) -> int:
    """End restrictions whose time is over."""
    ids = queries.ended_restriction_ids(now)
    return sweep(ids, standing.end_restriction, now=now).done


def release_holds(now: datetime) -> int:
    """End holds whose 72 hours are over."""
    return sweep(queries.ended_hold_ids(now), holds.release, now=now).done


def forget_unconfirmed(now: datetime) -> int:
    """Forget accounts that were not confirmed in 7 days and hold nothing."""
    ids = queries.forgettable_account_ids(now)
    return sweep(ids, forgetting.forget_unconfirmed, now=now).done


def forget_old_rows(now: datetime) -> int:
    """Forget void links, old sessions, unseen browsers and finished counts."""
    gone = 0
    for verb in (
        forgetting.forget_tokens,
        forgetting.forget_sessions,
        forgetting.forget_devices,
    ):
        with transaction():
            gone += verb(now=now)
    return gone + until_none(lambda: throttle.forget(now=now))


def recompute_keys(now: datetime) -> int:
    """Make the keys of mailboxes anew that are of older rules or another key."""
    ids = mailboxes.stale_key_ids(RULES_VERSION, keyring.ring().kid("email"))
    return sweep(ids, rekeying.rekey, now=now).done


def send_digests(now: datetime) -> int:
    """Queue the daily mail of 18:00 to whoever wants one; nothing new, no mail."""
    sent, last = 0, 0
    while ids := notifications.readers_of_digests(now, after=last):
        sent += sum(sweep(ids, _send_digest, now=now).results)
        last = ids[-1]
    return sent


def _send_digest(account_id: int, *, now: datetime) -> bool:
    account = queries.get_account(account_id)
    return account.closed_at is None and telling.send_digest(account, now=now)
