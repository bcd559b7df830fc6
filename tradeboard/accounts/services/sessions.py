"""Sign in and out: a session is a row, its cookie holds the token."""

import secrets
from datetime import datetime, timedelta

from sqlalchemy import update

from tradeboard.accounts import passwords, queries, tokens
from tradeboard.accounts.models import Account, Device, Session
from tradeboard.accounts.rules import handles
from tradeboard.core.db import changed, db
from tradeboard.core.errors import RuleBroken
from tradeboard.core.records import dataclass
from tradeboard.notifications import services as notifications

IDLE = timedelta(days=14)
ABSOLUTE = timedelta(days=60)
STAFF_IDLE = timedelta(minutes=30)
STAFF_ABSOLUTE = timedelta(hours=12)
SEEN_EVERY = timedelta(minutes=10)
MOST = 20
WRONG = "メールアドレス（またはハンドル）かパスワードが違います。"


@dataclass(frozen=True)
class Browser:
    """What is kept of a browser beside its session: no fingerprint, two labels."""

    label: str = ""
    network: str = ""


def candidates(login: str) -> list[Account | None]:
    """Return whom a name or address may mean; an address always gives two answers.

    Anybody may register with a mailbox that is not theirs, so the same address can
    stand on a confirmed and on an unconfirmed account. Trying both, or nobody twice,
    takes the same effort whoever exists.
    """
    typed = login.strip()
    kind, value = read_login(typed)
    if kind == "address":
        return [queries.find_confirmed(value), queries.find_unconfirmed(value)]
    return [queries.find_by_handle(typed)]


def read_login(login: str) -> tuple[str, str]:
    """Return what was typed, an address or a name, in the form that is compared."""
    typed = login.strip()
    if "@" in typed or "＠" in typed:
        return "address", typed.replace("＠", "@").lower()
    return "name", handles.skeleton(handles.tidied(typed))


def check_password(found: list[Account | None], password: str) -> Account:
    """Return who that password belongs to, or raise RuleBroken; always as slow."""
    fitting = [
        account
        for account in found
        if passwords.verify(_stored(account), password) and account is not None
    ]
    if not fitting:
        raise RuleBroken(WRONG)
    return fitting[0]


def check_own_password(account: Account, password: str) -> None:
    """Ask somebody who is signed in for the password once more, or raise RuleBroken."""
    try:
        check_password([account], password)
    except RuleBroken:
        raise RuleBroken("いまのパスワードが違います。", field="password") from None


def _stored(account: Account | None) -> str | None:
    if account is None or account.closed_at is not None:
        return None
    return account.password_hash


def sign_in(
    account: Account,
    *,
    device: Device | None = None,
    browser: Browser | None = None,
    second_factor_at: datetime | None = None,
    now: datetime,
) -> str:
    """Begin a session and return the token that its cookie holds.

    Whoever has a second factor, or must have one, opens nothing before it was shown.
    """
    browser = browser or Browser()
    awaits = second_factor_at is None and needs_factor(account)
    idle, absolute = _limits(account)
    token = secrets.token_urlsafe(32)
    db.session.add(
        Session(
            token_hash=tokens.hash_token(token),
            account_id=account.id,
            device_id=device.id if device is not None else None,
            created_at=now,
            last_seen_at=now,
            expires_at=now + idle,
            ends_at=now + absolute,
            signed_in_at=now,
            proved_at=now,
            second_factor_at=second_factor_at,
            awaits_factor=awaits,
            label=browser.label[:80],
            network=browser.network[:60],
        )
    )
    db.session.flush()
    _end_the_oldest(account, now=now)
    return token


def needs_factor(account: Account) -> bool:
    """Tell whether a password alone opens nothing: for staff, and by own wish."""
    return account.is_staff or queries.has_totp(account.id)


def renew(token_hash: str, *, second_factor_at: datetime | None, now: datetime) -> str:
    """Replace a session when somebody proved who it is: the old token is good no more.

    Of two who do so at once, one goes on.
    """
    ended = changed(
        update(Session)
        .where(Session.token_hash == token_hash, Session.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    if ended != 1:
        raise RuleBroken(
            "ログインの有効期間が終わりました。もう一度ログインしてください。"
        )
    old = db.session.get_one(Session, token_hash)
    token = secrets.token_urlsafe(32)
    db.session.add(
        Session(
            token_hash=tokens.hash_token(token),
            account_id=old.account_id,
            device_id=old.device_id,
            created_at=now,
            last_seen_at=now,
            expires_at=min(now + _limits(old.account)[0], old.ends_at),
            ends_at=old.ends_at,
            signed_in_at=old.signed_in_at,
            proved_at=now,
            second_factor_at=second_factor_at,
            awaits_factor=old.awaits_factor and second_factor_at is None,
            label=old.label,
            network=old.network,
        )
    )
    return token


def keep_up(account: Account, password_hash: str | None) -> None:
    """Store the password at today's cost; `password_hash` was made beforehand."""
    if password_hash is not None and passwords.needs_rehash(account.password_hash):
        account.password_hash = password_hash


def seen(token_hash: str, *, now: datetime) -> None:
    """Note that a session is in use and move its idle limit."""
    row = db.session.get(Session, token_hash)
    if row is None or row.revoked_at is not None or row.expires_at <= now:
        return
    row.last_seen_at = now
    row.expires_at = min(now + _limits(row.account)[0], row.ends_at)


def sign_out(token_hash: str, *, now: datetime) -> None:
    """End one session."""
    row = db.session.get(Session, token_hash)
    if row is not None and row.revoked_at is None:
        row.revoked_at = now


def sign_out_everywhere(
    account_id: int, *, but: str | None = None, now: datetime
) -> None:
    """End every session of a person, but for the one named by its hash."""
    ended = update(Session).where(
        Session.account_id == account_id, Session.revoked_at.is_(None)
    )
    if but is not None:
        ended = ended.where(Session.token_hash != but)
    db.session.execute(ended.values(revoked_at=now))


def sign_out_device(account_id: int, device_id: int, *, now: datetime) -> None:
    """End every session of a person in one browser, at once."""
    db.session.execute(
        update(Session)
        .where(
            Session.account_id == account_id,
            Session.device_id == device_id,
            Session.revoked_at.is_(None),
        )
        .values(revoked_at=now)
    )


def tell_of_new_device(account: Account, device: Device, *, now: datetime) -> None:
    """Mail a person that the account was opened from a browser new to it."""
    notifications.queue_mail(
        account,
        "accounts/mail/new_device.txt",
        key=f"new-device:{account.id}:{device.id}",
        now=now,
        handle=account.handle,
        code=device.code,
        at=now,
    )


def _limits(account: Account) -> tuple[timedelta, timedelta]:
    if account.is_staff:
        return STAFF_IDLE, STAFF_ABSOLUTE
    return IDLE, ABSOLUTE


def _end_the_oldest(account: Account, *, now: datetime) -> None:
    for row in queries.sessions_of(account.id, now=now)[MOST:]:
        row.revoked_at = now
