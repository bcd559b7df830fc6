"""What has been kept long enough, by the clock."""

from datetime import datetime

from tradeboard.core import drafts, once
from tradeboard.core.sweep import Swept, sweep
from tradeboard.core.transaction import transaction
from tradeboard.privacy.queries import due
from tradeboard.privacy.rules.retention import DRAFTS_KEPT, FORMS_KEPT
from tradeboard.privacy.services import erasing, purging


def erase_accounts(now: datetime) -> Swept:
    """Erase accounts closed 30 days ago, and what entries ended since had kept."""
    swept = sweep(due.closed_account_ids(now), erasing.erase, now=now)
    rest = sweep(due.remaining_account_ids(now), erasing.erase_rest, now=now)
    return Swept(swept.done + rest.done, swept.failed + rest.failed)


def purge_evidence(now: datetime) -> Swept:
    """Delete evidence 90 days after trade, last decision and entry have ended."""
    swept = sweep(due.evidence_trade_ids(now), purging.purge_trade, now=now)
    rest = sweep(due.evidence_entry_ids(now), purging.purge_entry, now=now)
    return Swept(swept.done + rest.done, swept.failed + rest.failed)


def forget_forms(now: datetime) -> int:
    """Forget which forms were sent a week ago, and what was left a month ago."""
    with transaction():
        sent = once.forget(before=now - FORMS_KEPT)
        return sent + drafts.forget(before=now - DRAFTS_KEPT)
