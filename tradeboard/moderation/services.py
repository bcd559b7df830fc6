"""What moderators do that belongs to no other feature."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.audit import services as audit
from tradeboard.notifications import services as notifications


def retry_mail(mail_id: int, *, by: Account, now: datetime) -> None:
    """Let a mail that did not leave be tried again at once."""
    mail = notifications.retry(mail_id, now=now)
    audit.record("retry mail", f"mail:{mail.id}", by_id=by.id, now=now)
