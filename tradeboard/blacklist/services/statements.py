"""What the two say about an entry: moderators read it, nobody else."""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.photos import Stored
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.services import drafts, entering, evidence
from tradeboard.core.errors import Conflict, NotFound, RuleBroken
from tradeboard.trades.services import texts

MOST = 10


def state(
    entry_id: int,
    words: str,
    files: Sequence[Stored] = (),
    *,
    by: Account,
    now: datetime,
) -> Entry:
    """Let the person bring forward words and pictures; a moderator sees them."""
    entry = queries.lock_entry(queries.get_entry_of(by.id, entry_id).id)
    _bring(entry, "statement", words, files, by, now)
    return entry


def answer(
    entry_id: int,
    words: str,
    files: Sequence[Stored] = (),
    *,
    by: Account,
    now: datetime,
) -> Entry:
    """Let the partner answer what a moderator asked; the person states it himself."""
    if not queries.requests_to(by.id, entry_id):
        raise NotFound("その問い合わせはありません。")
    entry = queries.lock_entry(entry_id)
    _bring(entry, "answer", words, files, by, now)
    return entry


def _bring(
    entry: Entry,
    kind: str,
    words: str,
    files: Sequence[Stored],
    by: Account,
    now: datetime,
) -> None:
    if entry.state not in rules.STANDING_STATES:
        raise Conflict("この記録は終わっているので、説明は送れません。")
    words = words.strip()
    if not words:
        raise RuleBroken("説明を書いてください。", field="words")
    texts.check(words, field="words", by=by)
    if queries.said_count(entry.id, by.id, kind) >= MOST:
        raise RuleBroken("一つの記録に送れる説明は%(n)s件までです。", n=MOST)
    evidence.add(entry, kind, words, files, by=by, now=now)
    drafts.forget(entry.id, by.id, "statement")
    for asked in queries.requests_to(by.id, entry.id):
        asked.answered_at = asked.answered_at or now
    entry.review_by = entry.review_by or now + rules.UNREVIEWED_IS_RED_AFTER
    entering.write_down("comment on", entry, by_id=by.id, now=now)
