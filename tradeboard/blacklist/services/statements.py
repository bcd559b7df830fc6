"""What the person says about an entry: moderators read it, nobody else."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.services import entering, receipts
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.trades.services import texts

MOST = 10


def state(entry_id: int, words: str, *, by: Account, now: datetime) -> Entry:
    """Let the person bring forward words or a delivery number; a moderator reads it."""
    entry = queries.lock_entry(queries.get_entry_of(by.id, entry_id).id)
    if entry.state not in rules.STANDING_STATES:
        raise Conflict("この記録は終わっているので、説明は送れません。")
    words = words.strip()
    if not words:
        raise RuleBroken("説明を書いてください。", field="words")
    texts.check(words, field="words", by=by)
    if queries.statement_count(entry.id) >= MOST:
        raise RuleBroken("一つの記録に送れる説明は%(n)s件までです。", n=MOST)
    receipts.add_evidence(entry, "statement", words, by=by, now=now)
    entry.review_by = entry.review_by or now + rules.UNREVIEWED_IS_RED_AFTER
    entering.write_down("comment on", entry, by_id=by.id, now=now)
    return entry
