"""Mail of the desk: tried again by moderators, and told to staff once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.audit import services as audit
from tradeboard.audit.rules import Anchor, Broken
from tradeboard.keeping.queries import Kept
from tradeboard.moderation import rules
from tradeboard.moderation.rules import Queue
from tradeboard.notifications import services as notifications


def retry_mail(mail_id: int, *, by: Account, now: datetime) -> None:
    """Let a mail that did not leave be tried again at once."""
    mail = notifications.retry(mail_id, now=now)
    audit.record("retry mail", f"mail:{mail.id}", by_id=by.id, now=now)


def tell_anchor(anchor: Anchor, *, now: datetime) -> None:
    """Mail an anchor of the audit log to each admin, once."""
    facts = {"seq": anchor.seq, "hash": anchor.hash, "at": anchor.at}
    key = f"audit-anchor:{anchor.hash}"
    _tell_admins("moderation/mail/audit_anchor.txt", key, facts, now)


def tell_broken(broken: Broken, *, now: datetime) -> None:
    """Tell each admin, once, that the audit log is not as it was written."""
    facts = {"seq": broken.seq, "wrong": broken.wrong.value}
    key = f"audit-broken:{broken.seq}:{broken.wrong}"
    _tell_admins("moderation/mail/audit_broken.txt", key, facts, now)


def tell_of_queues(queues: Sequence[Queue], *, now: datetime) -> int:
    """Tell each moderator, once a day, what awaits a decision."""
    told = 0
    for person in accounts.staff():
        notifications.queue_mail(
            person,
            "moderation/mail/queue_waiting.txt",
            key=f"queues:{rules.day_in_japan(now)}:{person.id}",
            now=now,
            queues=[
                [queue.name, min(queue.count, rules.COUNTED), queue.is_overdue(now)]
                for queue in queues
            ],
        )
        told += 1
    return told


def tell_of_red(since: datetime | None, lag_minutes: int, *, now: datetime) -> int:
    """Tell each admin, once a day, that deadlines are not being kept."""
    facts = {"since": since, "minutes": lag_minutes}
    key = f"scheduler-red:{rules.day_in_japan(now)}"
    return _tell_admins("moderation/mail/scheduler_red.txt", key, facts, now)


def tell_of_backups(kept: Kept, *, now: datetime) -> int:
    """Tell each admin, once a day, that the board may not survive its disk."""
    facts = {
        "backup": kept.backup_ok.at if kept.backup_ok else None,
        "proof": kept.proof_ok.at if kept.proof_ok else None,
    }
    key = f"backups-late:{rules.day_in_japan(now)}"
    return _tell_admins("moderation/mail/backups_late.txt", key, facts, now)


def _tell_admins(template: str, key: str, facts: dict[str, Any], now: datetime) -> int:
    """Tell each admin what a key names, once; return how many admins there are."""
    admins = accounts.admins()
    for admin in admins:
        notifications.queue_mail(
            admin,
            template,
            key=f"{key}:{admin.id}",
            now=now,
            **facts,
        )
    return len(admins)
