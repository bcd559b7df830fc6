"""What was open about an entry ends: with a decision, or with the entry itself."""

from datetime import datetime

from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import appeals as rules
from tradeboard.core.db import db
from tradeboard.core.states import advance


def end_with_entry(entry: Entry, *, now: datetime) -> None:
    """Close the open appeal of an entry that has ended; nothing is hidden any more."""
    appeal = queries.find_open_appeal(entry.id)
    if appeal is not None:
        appeal.state = advance(rules.APPEAL, appeal.state, "end entry")
        appeal.decided_at = now
    entry.appealed_at = entry.hidden_at = None
    db.session.flush()


def end_claim(entry_id: int) -> None:
    """Let nobody be at what has been decided, whoever did."""
    claim = queries.find_claim(entry_id)
    if claim is not None:
        db.session.delete(claim)
