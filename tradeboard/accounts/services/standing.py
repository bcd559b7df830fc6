"""How a person stands: each cause adds and ends only its own restriction."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import select

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Restriction
from tradeboard.accounts.rules.standing import Standing, strongest
from tradeboard.accounts.services import sessions, watching
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, NotFound

ENDS_SESSIONS = frozenset({Standing.SUSPENDED, Standing.CLOSED})

BARRED = {
    Standing.HELD: (
        "運営の確認が終わるまで、新しい募集・申し込み・合意はできません。"
        "進行中の取引は続けられます。確認の内容と、説明のしかたはマイページにあります。"
    ),
    Standing.LISTED: (
        "ブラックリストに登録があるあいだ、新しい募集・申し込み・合意はできません。"
        "進行中の取引は続けられます。回答のしかたはマイページにあります。"
    ),
    Standing.SUSPENDED: (
        "アカウントが停止されているあいだ、新しい募集・申し込み・合意はできません。"
        "理由と期間はマイページにあります。"
    ),
    Standing.CLOSED: "このアカウントは退会済みです。",
}


def restrict(
    account_id: int,
    cause: str,
    standing: Standing,
    *,
    until: datetime | None = None,
    by_id: int | None = None,
    now: datetime,
) -> Restriction:
    """Bar a person for one cause; the same cause again replaces what it said."""
    account = _lock(account_id)
    row = _find(account_id, cause)
    if row is None:
        row = Restriction(account_id=account_id, cause=cause, since=now)
        db.session.add(row)
    elif row.ended_at is not None:
        row.since = now
    row.standing, row.until, row.ended_at = standing, until, None
    _recompute(account, now=now)
    audit.record(
        "restrict",
        f"account:{account_id}",
        by_id=by_id,
        now=now,
        cause=cause,
        standing=standing.value,
        until=until and until.isoformat(),
    )
    return row


def release(
    account_id: int, cause: str, *, by_id: int | None = None, now: datetime
) -> None:
    """End what one cause barred; other causes stay."""
    account = _lock(account_id)
    row = _find(account_id, cause)
    if row is None or row.ended_at is not None:
        return
    _end(account, row, by_id=by_id, now=now)


def end_restriction(restriction_id: int, *, now: datetime) -> None:
    """End a restriction whose time is over."""
    owner = db.session.scalar(
        select(Restriction.account_id).where(Restriction.id == restriction_id)
    )
    if owner is None:
        return
    account = _lock(owner)
    row = db.session.get(Restriction, restriction_id, populate_existing=True)
    if row is None or row.ended_at or row.until is None or row.until > now:
        return
    _end(account, row, by_id=None, now=now)


def lock(account_ids: Iterable[int]) -> None:
    """Lock several people, as everybody does, in the order of their ids."""
    for account_id in sorted(set(account_ids)):
        _lock(account_id)


def recompute(account_id: int, *, now: datetime) -> Standing:
    """Derive the standing anew from all causes."""
    account = _lock(account_id)
    _recompute(account, now=now)
    return account.standing


def watched_as(row: Restriction) -> str:
    """Name what is watched for because of one restriction."""
    return f"restriction:{row.id}"


def gate(by: Account) -> None:
    """Let only somebody in good standing with a confirmed address pass (B-01, B-02)."""
    if by.standing is not Standing.GOOD:
        raise NotAllowed(BARRED[by.standing])
    if not by.is_confirmed:
        raise NotAllowed(
            "本アドレスの確認が済むと、この操作ができます。"
            "届いたメールのリンクを開くか、マイページからもう一度送ってください。"
        )


def _lock(account_id: int) -> Account:
    """Let two causes wait for each other, so that neither misses the other.

    Not for rows that only name this person: two of those at once must not wait for
    each other's lock when both go on to this one.
    """
    account = db.session.scalar(
        select(Account)
        .where(Account.id == account_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    if account is None:
        raise NotFound("そのアカウントは見つかりません。")
    return account


def _find(account_id: int, cause: str) -> Restriction | None:
    return db.session.scalar(
        select(Restriction).where(
            Restriction.account_id == account_id, Restriction.cause == cause
        )
    )


def _end(account: Account, row: Restriction, *, by_id: int | None, now: datetime):
    row.ended_at = now
    watching.end(watched_as(row))
    _recompute(account, now=now)
    audit.record(
        "release",
        f"account:{account.id}",
        by_id=by_id,
        now=now,
        cause=row.cause,
        standing=account.standing.value,
    )


def _recompute(account: Account, *, now: datetime) -> None:
    db.session.flush()
    causes = [row.standing for row in queries.restrictions_of(account.id)]
    if account.closed_at is not None:
        causes.append(Standing.CLOSED)
    before, account.standing = account.standing, strongest(causes)
    if account.standing in ENDS_SESSIONS and account.standing is not before:
        sessions.sign_out_everywhere(account.id, now=now)
