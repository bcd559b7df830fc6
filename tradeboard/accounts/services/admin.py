"""What whoever runs the board does to accounts; commands and the demo use it."""

from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import (
    mailboxes,
    reasons,
    registration,
    sessions,
)
from tradeboard.audit import services as audit
from tradeboard.core.errors import NotFound, RuleBroken


def create(
    handle: str,
    email: str,
    password: str,
    language: str = "ja",
    role: Role = Role.MEMBER,
    *,
    now: datetime,
    confirmed: bool = True,
) -> Account:
    """Make an account without mail; the same rules hold as for everybody."""
    application = registration.prepare(handle, email, password)
    if confirmed and queries.find_by_mailbox(application.mailbox) is not None:
        raise RuleBroken(mailboxes.MAILBOX_TAKEN, field="email")
    if confirmed and queries.watched_mailbox(application.mailbox, now=now) is not None:
        raise RuleBroken(mailboxes.NOT_POSSIBLE, field="email")
    return registration.make_account(
        application,
        language=language,
        role=role,
        confirmed_at=now if confirmed else None,
        now=now,
    )


def promote(
    handle: str, role: Role, why: str, *, by: Account | None, now: datetime
) -> Account:
    """Give a person another role; open sessions end, since their limits change.

    All of staff are told why. `by` is None on the server.
    """
    account = queries.find_by_handle(handle)
    if account is None:
        raise NotFound("そのハンドルのアカウントは見つかりません。")
    whose = f"account:{account.id}"
    reasons.give(Act.GIVE_ROLES, whose, why, by=by, now=now)
    before, account.role = account.role, role
    sessions.sign_out_everywhere(account.id, now=now)
    audit.record(
        "promote",
        whose,
        by_id=by.id if by is not None else None,
        now=now,
        before=before.value,
        after=role.value,
    )
    return account
