"""Put away a signal that a moderator has looked at."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.audit.services import record
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.reports.models import SignalSeen


def see_signal(key: str, *, by: Account, now: datetime) -> None:
    """Put a signal away; a greater number of the same makes a new one."""
    if not key or len(key) > 200:
        raise NotFound("この合図は見つかりません。")
    if db.session.get(SignalSeen, key) is None:
        db.session.add(SignalSeen(key=key, by_id=by.id, at=now))
        record("signal.seen", f"signal:{key}", by_id=by.id, now=now)
