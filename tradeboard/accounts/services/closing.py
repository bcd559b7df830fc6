"""Close an account: nobody signs in to it any more, and its name stays reserved."""

from datetime import datetime

from sqlalchemy import delete

from tradeboard.accounts import queries, tokens
from tradeboard.accounts.models import Account, DeviceName, Passkey, RecoveryCode, Totp
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import sessions, standing, watching
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.notifications import services as notifications

NO_PASSWORD = "!"
OF_ITS_OWNER_ALONE = (DeviceName, Passkey, RecoveryCode, Totp)


def close(account_id: int, *, now: datetime) -> None:
    """End every way in and void every link; tell the address that it was closed.

    The mailbox is free for another account from now on, unless an entry or a suspension
    stands: leaving must not be the way around it. What entries and partners
    need stays: the names, the devices, and the address for answers about an entry.
    """
    standing.recompute(account_id, now=now)  # which locks the account
    account = queries.get_account(account_id)
    if account.closed_at is not None:
        raise Conflict("このアカウントは退会済みです。")
    watch_the_suspended(account, now=now)
    account.closed_at = now
    standing.recompute(account_id, now=now)
    sessions.sign_out_everywhere(account_id, now=now)
    tokens.drop(account_id, "confirm", "reset", "change", now=now)
    account.password_hash = NO_PASSWORD
    for model in OF_ITS_OWNER_ALONE:
        db.session.execute(delete(model).where(model.account_id == account_id))
    audit.record("close", f"account:{account_id}", by_id=account_id, now=now)
    notifications.queue_mail(
        account,
        "accounts/mail/closed.txt",
        key=f"closed:{account_id}",
        now=now,
        handle=account.handle,
        at=now,
    )


def watch_the_suspended(account: Account, *, now: datetime) -> None:
    """Keep the mailbox of somebody suspended from registering again until the end."""
    for row in queries.restrictions_of(account.id):
        if row.standing is Standing.SUSPENDED:
            watching.watch(
                account.id,
                standing.watched_as(row),
                mailbox=(account.email_key, account.email_kid),
                mailbox_until=row.until,
                phones=[],
                devices=[],
                now=now,
            )
