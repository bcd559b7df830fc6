"""Set up, show and lose the second factor."""

from datetime import datetime

from sqlalchemy import delete, update

from tradeboard.accounts import queries, totp
from tradeboard.accounts.models import Account, RecoveryCode, Totp
from tradeboard.accounts.services import sessions
from tradeboard.audit import services as audit
from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.notifications import services as notifications

WRONG = (
    "コードが違うか、すでに使われています。"
    "アプリに出ている新しいコードを入力してください。"
)


def begin(by: Account, *, now: datetime) -> None:
    """Make a secret to be shown once; nothing is asked for until it is confirmed."""
    row = queries.find_totp(by.id)
    if row is not None and row.confirmed_at is not None:
        raise Conflict("2段階認証は、すでに設定されています。")
    sealed = totp.seal(totp.new_secret(), by.id)
    if row is None:
        db.session.add(Totp(account_id=by.id, secret=sealed))
    else:
        row.secret = sealed


def confirm(by: Account, typed: str, *, now: datetime) -> list[str]:
    """Finish the set-up by a first code; return the recovery codes, shown once."""
    row = queries.find_totp(by.id)
    if row is None or row.confirmed_at is not None:
        raise Conflict("2段階認証の設定は、はじめからやり直してください。")
    if not _use_code(row, typed, now=now):
        raise RuleBroken(WRONG, field="code")
    row.confirmed_at = now
    codes = totp.new_recovery_codes()
    for code in codes:
        db.session.add(
            RecoveryCode(
                account_id=by.id, code_hash=totp.hash_recovery_code(code, by.id)
            )
        )
    audit.record("second-factor-set", f"account:{by.id}", by_id=by.id, now=now)
    return codes


def check(by: Account, typed: str, *, now: datetime) -> None:
    """Accept a code of the app or a recovery code, each once, or raise RuleBroken."""
    row = queries.find_totp(by.id)
    if row is None or row.confirmed_at is None:
        raise Conflict("2段階認証が、まだ設定されていません。")
    recovery = totp.recovery_code_of(typed)
    used = (
        _use_recovery(by, recovery, now=now)
        if recovery
        else _use_code(row, typed, now=now)
    )
    if not used:
        raise RuleBroken(WRONG, field="code")


def reset(account: Account, *, by: Account, now: datetime) -> None:
    """Remove a lost factor of somebody else; it is set up anew at the next log-in."""
    if account.id == by.id:
        raise NotAllowed(
            "ご自分の2段階認証は、ほかの管理者に解除してもらってください。"
        )
    db.session.execute(
        delete(RecoveryCode).where(RecoveryCode.account_id == account.id)
    )
    db.session.execute(delete(Totp).where(Totp.account_id == account.id))
    sessions.sign_out_everywhere(account.id, now=now)
    audit.record("second-factor-reset", f"account:{account.id}", by_id=by.id, now=now)
    notifications.queue_mail(
        account,
        "accounts/mail/second_factor_reset.txt",
        key=f"second-factor-reset:{account.id}:{now.isoformat()}",
        now=now,
        handle=account.handle,
        at=now,
    )


def _use_code(row: Totp, typed: str, *, now: datetime) -> bool:
    step = totp.step_of(totp.unseal(row.secret, row.account_id), typed, now)
    if step is None:
        return False
    used = changed(
        update(Totp)
        .where(Totp.account_id == row.account_id, Totp.last_step < step)
        .values(last_step=step)
    )
    return used == 1


def _use_recovery(by: Account, code: str, *, now: datetime) -> bool:
    used = changed(
        update(RecoveryCode)
        .where(
            RecoveryCode.account_id == by.id,
            RecoveryCode.code_hash == totp.hash_recovery_code(code, by.id),
            RecoveryCode.used_at.is_(None),
        )
        .values(used_at=now)
    )
    return used == 1
