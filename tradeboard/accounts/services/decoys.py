"""As much work for nobody as for somebody, so that no answer tells them apart.

What is written in place of a link and a mail stands among the forms that were sent, and
goes with them after a week.
"""

import secrets
from datetime import datetime

from tradeboard.accounts import queries, tokens
from tradeboard.accounts.queries import mailboxes
from tradeboard.core import once
from tradeboard.core.db import db
from tradeboard.notifications import queries as notifications

NOBODY = 0


def reset(*, now: datetime) -> None:
    """Do what a link for a new password takes, and its mail."""
    _token("reset", now=now)
    _mail(now=now)


def confirmation(mailbox: str, *, now: datetime) -> None:
    """Do what a link that confirms a mailbox takes, and its mail."""
    _token("confirm", now=now)
    queries.find_by_mailbox(mailbox)
    queries.watched_mailbox(mailbox, now=now)
    mailboxes.find_account(None)
    with db.session.begin_nested():
        _mail(now=now)


def _token(purpose: str, *, now: datetime) -> None:
    tokens.drop(NOBODY, purpose, now=now)
    write(now=now)


def _mail(*, now: datetime) -> None:
    notifications.is_queued("")
    write(now=now)


def write(*, now: datetime) -> None:
    """Do what one row takes."""
    once.remember(NOBODY, secrets.token_urlsafe(16), "", now=now)
