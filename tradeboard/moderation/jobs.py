"""The audit log by the clock: anchors outside the database, and a check of it all."""

import logging
from datetime import datetime, timedelta
from pathlib import Path

from flask import current_app

from tradeboard.accounts import queries as accounts
from tradeboard.audit import anchors
from tradeboard.audit import queries as audit
from tradeboard.audit.rules import GENESIS, Anchor, Broken, ChainBroken
from tradeboard.core.transaction import transaction
from tradeboard.keeping import queries as keeping
from tradeboard.moderation import queries, rules, services
from tradeboard.trades import queries as trades

log = logging.getLogger(__name__)

ANCHOR_EVERY = timedelta(hours=1)


def anchor_audit(now: datetime) -> int:
    """Note the last row of the log outside the database, if it is time.

    It is each hour, and as soon as staff did something. No anchor is made of a log that
    lost the anchor before.
    """
    path, last = _path(), anchors.last(_path())
    head = audit.head()
    if last is not None:
        lost = audit.first_lost([last], head.seq if head else 0)
        if lost is not None:
            _alarm(lost, now)
    if head is None or head.hash == GENESIS or not _is_time(last, now):
        return 0
    anchor = Anchor(head.seq, head.hash, now)
    anchors.append(path, anchor)
    if current_app.config["AUDIT_SYSLOG"]:
        anchors.tell_syslog(anchor, current_app.config["AUDIT_SYSLOG"])
    return 1


def mail_anchor(now: datetime) -> int:
    """Mail the newest anchor to the admins, unless they have it already."""
    last = anchors.last(_path())
    if last is None:
        return 0
    with transaction():
        services.tell_anchor(last, now=now)
    return 1


def verify_audit(now: datetime) -> int:
    """Check the whole log against its keys, its head and the anchors.

    What it did is the number of the last row.
    """
    found = audit.verify(anchors.read(_path()))
    if found.broken is not None:
        _alarm(found.broken, now)
    return found.seq


def tell_of_queues(now: datetime) -> int:
    """Tell moderators each morning what awaits them; nothing waits, no mail."""
    waiting = rules.to_tell(queries.queues(now), now)
    if not waiting:
        return 0
    with transaction():
        return services.tell_of_queues(waiting, now=now)


def tell_of_red(now: datetime) -> int:
    """Tell admins that the sweep has not gone well, or is behind."""
    since = queries.sweep_ok_at()
    lag = trades.sweep_lag(now) or timedelta(0)
    if since is not None and max(now - since, lag) <= rules.RED_AFTER:
        return 0
    with transaction():
        return services.tell_of_red(since, round(lag.total_seconds() / 60), now=now)


def tell_of_backups(now: datetime) -> int:
    """Tell admins that no backup was made or restored on trial for two days."""
    kept = keeping.kept()
    is_first = kept.proof is None  # It may be under way.
    if is_first or not kept.is_used(now) or not kept.is_late(now):
        return 0
    with transaction():
        return services.tell_of_backups(kept, now=now)


def _is_time(last: Anchor | None, now: datetime) -> bool:
    if last is None or abs(now - last.at) >= ANCHOR_EVERY:
        return True
    return audit.acted_since(last.seq, accounts.staff_ids())


def _alarm(broken: Broken, now: datetime) -> None:
    """Say loudly that the log was changed, and end as a job that failed."""
    log.critical("the audit log is broken: row %s, %s", broken.seq, broken.wrong)
    with transaction():
        services.tell_broken(broken, now=now)
    raise ChainBroken(broken)


def _path() -> Path:
    return current_app.config["AUDIT_ANCHORS"]
