"""Set up, show and lose the second factor."""

from datetime import datetime

from sqlalchemy import delete, update

from tradeboard.accounts import passwords, queries, totp
from tradeboard.accounts.models import Account, Passkey, RecoveryCode, Totp
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import reasons, sessions, telling
from tradeboard.accounts.services.telling import Change
from tradeboard.audit import services as audit
from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.notifications import services as notifications

NOT_SET = "2段階認証が、まだ設定されていません。"
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
    telling.tell_of_change(by, Change.SECOND_FACTOR_SET, now=now)
    return _make_codes(by)


def renew_codes(by: Account, *, now: datetime) -> list[str]:
    """Make new recovery codes, shown once; the former ones are good no more."""
    if not queries.has_totp(by.id):
        raise Conflict(NOT_SET)
    db.session.execute(delete(RecoveryCode).where(RecoveryCode.account_id == by.id))
    telling.tell_of_change(by, Change.RECOVERY_CODES, now=now)
    return _make_codes(by)


def remove(by: Account, *, now: datetime) -> None:
    """Let a member log in without codes again; staff cannot do without."""
    if by.is_staff:
        raise NotAllowed("審査をする人の2段階認証は解除できません。")
    if not queries.has_totp(by.id):
        raise Conflict(NOT_SET)
    _forget_codes(by.id)
    telling.tell_of_change(by, Change.SECOND_FACTOR_REMOVED, now=now)


def check(by: Account, typed: str, *, now: datetime) -> None:
    """Accept a code of the app or a recovery code, each once, or raise RuleBroken."""
    row = queries.find_totp(by.id)
    if row is None or row.confirmed_at is None:
        raise Conflict(NOT_SET)
    recovery = totp.recovery_code_of(typed)
    used = (
        _use_recovery(by, recovery, now=now)
        if recovery
        else _use_code(row, typed, now=now)
    )
    if not used:
        raise RuleBroken(WRONG, field="code")


def reset(account: Account, why: str, *, by: Account, now: datetime) -> None:
    """Remove a lost factor of somebody else; it is set up anew at the next log-in.

    All of staff are told why.
    """
    if account.id == by.id:
        raise NotAllowed(
            "ご自分の2段階認証は、ほかの管理者に解除してもらってください。"
        )
    whose = f"account:{account.id}"
    reasons.give(Act.RESET_SECOND_FACTOR, whose, why, by=by, now=now)
    _forget_codes(account.id)
    # A lost device keeps them, too.
    db.session.execute(delete(Passkey).where(Passkey.account_id == account.id))
    sessions.sign_out_everywhere(account.id, now=now)
    audit.record("second-factor-reset", whose, by_id=by.id, now=now)
    notifications.queue_mail(
        account,
        "accounts/mail/second_factor_reset.txt",
        key=f"second-factor-reset:{account.id}:{now.isoformat()}",
        now=now,
        handle=account.handle,
        at=now,
    )


def _make_codes(by: Account) -> list[str]:
    codes = totp.new_recovery_codes()
    db.session.add_all(
        RecoveryCode(account_id=by.id, code_hash=passwords.hash_password(code))
        for code in codes
    )
    return codes


def _forget_codes(account_id: int) -> None:
    for model in (RecoveryCode, Totp):
        db.session.execute(delete(model).where(model.account_id == account_id))


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
    """Use one up; a code is short, so that it is kept as dearly as a password."""
    for kept in queries.unused_recovery_codes(by.id):
        if passwords.verify(kept, code):
            used = changed(
                update(RecoveryCode)
                .where(
                    RecoveryCode.account_id == by.id,
                    RecoveryCode.code_hash == kept,
                    RecoveryCode.used_at.is_(None),
                )
                .values(used_at=now)
            )
            return used == 1
    return False
