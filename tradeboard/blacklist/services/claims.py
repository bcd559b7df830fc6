"""A moderator takes an entry, so that no two of them work on it without knowing."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Claim
from tradeboard.blacklist.rules import desk as rules
from tradeboard.blacklist.rules import entries
from tradeboard.blacklist.services import review
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict


def take(entry_id: int, *, by: Account, now: datetime) -> Claim:
    """Be at an entry; while somebody else is, he keeps it."""
    entry = queries.lock_entry(entry_id)
    review.require_outsider(entry, by)
    if entry.state not in entries.STANDING_STATES:
        raise Conflict("この記録は終わっています。")
    claim = queries.find_claim(entry_id)
    if claim is None:
        claim = Claim(entry_id=entry_id, by_id=by.id, seen_at=now)
        db.session.add(claim)
    elif claim.by_id != by.id and rules.is_live(claim.seen_at, now):
        raise Conflict("%(name)sさんが担当しています。", name=claim.by.handle)
    claim.by_id, claim.seen_at = by.id, now
    return claim


def touch(entry_id: int, *, by: Account, now: datetime) -> None:
    """Keep the own claim from lapsing; whoever has none gets none."""
    claim = queries.find_claim(entry_id)
    if claim is not None and claim.by_id == by.id and rules.is_live(claim.seen_at, now):
        claim.seen_at = now


def leave(entry_id: int, *, by: Account) -> None:
    """Give the own claim back; nobody else's."""
    claim = queries.find_claim(entry_id)
    if claim is not None and claim.by_id == by.id:
        db.session.delete(claim)
