"""What time does to accounts."""

from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.services import forgetting, standing
from tradeboard.core import throttle
from tradeboard.core.sweep import sweep
from tradeboard.core.transaction import transaction


def end_restrictions(now: datetime) -> int:
    """End restrictions whose time is over."""
    ids = queries.ended_restriction_ids(now)
    return sweep(ids, standing.end_restriction, now=now).done


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
        throttle.forget,
    ):
        with transaction():
            gone += verb(now=now)
    return gone
