"""What moderators do that belongs to no other feature, and what admins are told."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.audit import services as audit
from tradeboard.audit.rules import Anchor, Broken
from tradeboard.notifications import services as notifications


def retry_mail(mail_id: int, *, by: Account, now: datetime) -> None:
    """Let a mail that did not leave be tried again at once."""
    mail = notifications.retry(mail_id, now=now)
    audit.record("retry mail", f"mail:{mail.id}", by_id=by.id, now=now)


def tell_anchor(anchor: Anchor, *, now: datetime) -> None:
    """Mail an anchor of the audit log to each admin, once."""
    for admin in accounts.admins():
        notifications.queue_mail(
            admin,
            "moderation/mail/audit_anchor.txt",
            key=f"audit-anchor:{anchor.hash}:{admin.id}",
            now=now,
            seq=anchor.seq,
            hash=anchor.hash,
            at=anchor.at,
        )


def tell_broken(broken: Broken, *, now: datetime) -> None:
    """Tell each admin, once, that the audit log is not as it was written."""
    for admin in accounts.admins():
        notifications.queue_mail(
            admin,
            "moderation/mail/audit_broken.txt",
            key=f"audit-broken:{broken.seq}:{broken.wrong}:{admin.id}",
            now=now,
            seq=broken.seq,
            wrong=broken.wrong.value,
        )
