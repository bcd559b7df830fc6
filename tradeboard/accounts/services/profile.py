"""What a person may change about the own account."""

from datetime import datetime, timedelta

from tradeboard.accounts import passwords, queries, tokens
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules import passwords as password_rules
from tradeboard.accounts.rules import zones
from tradeboard.accounts.services import decoys, sessions
from tradeboard.core import languages
from tradeboard.core.errors import RuleBroken
from tradeboard.notifications import services as notifications

AGAIN_AFTER = timedelta(seconds=60)


def set_language(by: Account, language: str, *, now: datetime) -> None:
    """Choose the language of pages and mails."""
    if language not in languages.codes():
        raise RuleBroken("この言語は選べません。", field="language")
    by.language = language


def choose(by: Account, language: str, time_zone: str, *, now: datetime) -> None:
    """Choose the language of pages and mails, and on whose clock deadlines stand."""
    if not zones.is_known(time_zone):
        raise RuleBroken("この時間帯は選べません。", field="time_zone")
    set_language(by, language, now=now)
    by.time_zone = time_zone


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
    """Mail a link to the stored address; nobody is told whether there is one.

    The database is asked and given as much for an address that nobody has.
    """
    found = (queries.find_confirmed(address), queries.find_unconfirmed(address))
    account = found[0] or found[1]
    last = queries.newest_token_at(account.id if account else decoys.NOBODY, "reset")
    if account is None or last is not None and now < last + AGAIN_AFTER:
        decoys.reset(now=now)
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
