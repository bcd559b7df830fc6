"""What a person may change about the own account."""

from datetime import datetime

from tradeboard.accounts import passwords, queries, tokens
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules import passwords as password_rules
from tradeboard.accounts.services import sessions
from tradeboard.core.errors import RuleBroken
from tradeboard.notifications import services as notifications

LANGUAGES = ("ja", "en")


def set_language(by: Account, language: str, *, now: datetime) -> None:
    """Choose the language of pages and mails."""
    if language not in LANGUAGES:
        raise RuleBroken("この言語は選べません。", field="language")
    by.language = language


def new_hash(account: Account, password: str) -> str:
    """Check a new password and hash it; call it before the transaction."""
    weak = password_rules.check_password(
        password, handle=account.handle, email=account.email
    )
    if weak is not None:
        raise RuleBroken(weak, field="new_password")
    return passwords.hash_password(password)


def change_password(
    account: Account, password_hash: str, *, keep: str | None = None, now: datetime
) -> None:
    """Set the password; every other session ends, and links for more are void."""
    account.password_hash = password_hash
    sessions.sign_out_everywhere(account.id, but=keep, now=now)
    tokens.drop(account.id, "reset", "change", now=now)
    notifications.queue_mail(
        account,
        "accounts/mail/password_changed.txt",
        key=f"password-changed:{account.id}:{now.isoformat()}",
        now=now,
        handle=account.handle,
        at=now,
    )


def ask_for_reset(address: str, *, now: datetime) -> None:
    """Mail a link to the stored address; nobody is told whether there is one."""
    account = queries.find_confirmed(address) or queries.find_unconfirmed(address)
    if account is None or account.closed_at is not None:
        return
    last = queries.newest_token_at(account.id, "reset")
    if last is not None and (now - last).total_seconds() < 60:
        return
    token = tokens.issue(account, "reset", now=now)
    notifications.queue_mail(
        account,
        "accounts/mail/reset.txt",
        key=f"reset:{account.id}:{tokens.hash_token(token)[:16]}",
        now=now,
        handle=account.handle,
        path=f"/reset/{token}",
        expires_at=now + tokens.GOOD_FOR["reset"],
    )


def reset_password(token: str, password_hash: str, *, now: datetime) -> Account:
    """Set a new password by a mailed link; every session ends."""
    account = tokens.use(token, "reset", now=now)
    change_password(account, password_hash, now=now)
    return account
