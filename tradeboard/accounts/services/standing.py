"""How a person stands: each cause adds and ends only its own restriction."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from sqlalchemy import select

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Restriction
from tradeboard.accounts.rules.standing import Standing, strongest
from tradeboard.accounts.services import sessions, watching
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, NotFound
from tradeboard.core.records import dataclass

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


class Barrable(Protocol):
    """Whoever may be barred from new trades, read in whichever way."""

    @property
    def standing(self) -> Standing:
        """Return how the person stands."""

    @property
    def is_confirmed(self) -> bool:
        """Tell whether the primary address has been confirmed."""


@dataclass(frozen=True)
class Bar:
    """What one cause bars a person from, and until when."""

    account_id: int
    cause: str
    standing: Standing
    until: datetime | None = None


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
    bar = Bar(account_id, cause, standing, until)
    row = restrict_all([bar], by_id=by_id, now=now)[0]
    db.session.flush()  # Its number names what is watched for because of it.
    return row


def restrict_all(
    bars: Sequence[Bar], *, by_id: int | None = None, now: datetime
) -> list[Restriction]:
    """Bar several people, each for one cause; as many questions as for one."""
    people = lock(bar.account_id for bar in bars)
    known = queries.restrictions_for(people, [bar.cause for bar in bars])
    rows = {(row.account_id, row.cause): row for row in known}
    for bar in bars:
        row = rows.get((bar.account_id, bar.cause))
        if row is None:
            row = Restriction(account_id=bar.account_id, cause=bar.cause, since=now)
            rows[bar.account_id, bar.cause] = row
            db.session.add(row)
        elif row.ended_at is not None:
            row.since = now
        row.standing, row.until, row.ended_at = bar.standing, bar.until, None
    causes = defaultdict(list)
    for (account_id, _), row in rows.items():
        if row.ended_at is None:
            causes[account_id].append(row.standing)
    for account in people.values():
        _derive(account, causes[account.id], now)
    for bar in bars:
        _write_down(bar, by_id, now)
    return [rows[bar.account_id, bar.cause] for bar in bars]


def _write_down(bar: Bar, by_id: int | None, now: datetime) -> None:
    audit.record(
        "restrict",
        f"account:{bar.account_id}",
        by_id=by_id,
        now=now,
        cause=bar.cause,
        standing=bar.standing.value,
        until=bar.until and bar.until.isoformat(),
    )


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


def lock(account_ids: Iterable[int]) -> dict[int, Account]:
    """Lock several people, as everybody does, in the order of their ids.

    Two causes wait for each other, so that neither misses the other. Not for rows that
    only name a person: two of those at once must not wait for each other's lock when
    both go on to this one.
    """
    wanted = set(account_ids)
    found = db.session.scalars(
        select(Account)
        .where(Account.id.in_(wanted))
        .order_by(Account.id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    people = {account.id: account for account in found}
    if len(people) < len(wanted):
        raise NotFound("そのアカウントは見つかりません。")
    return people


def recompute(account_id: int, *, now: datetime) -> Standing:
    """Derive the standing anew from all causes."""
    account = _lock(account_id)
    _recompute(account, now=now)
    return account.standing


def watched_as(row: Restriction) -> str:
    """Name what is watched for because of one restriction."""
    return f"restriction:{row.id}"


def gate(by: Barrable) -> None:
    """Let only somebody in good standing with a confirmed address pass (B-01, B-02)."""
    if by.standing is not Standing.GOOD:
        raise NotAllowed(BARRED[by.standing])
    if not by.is_confirmed:
        raise NotAllowed(
            "本アドレスの確認が済むと、この操作ができます。"
            "届いたメールのリンクを開くか、マイページからもう一度送ってください。"
        )


def _lock(account_id: int) -> Account:
    return lock([account_id])[account_id]


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
    _derive(account, causes, now)


def _derive(account: Account, causes: list[Standing], now: datetime) -> None:
    if account.closed_at is not None:
        causes.append(Standing.CLOSED)
    before, account.standing = account.standing, strongest(causes)
    if account.standing in ENDS_SESSIONS and account.standing is not before:
        sessions.sign_out_everywhere(account.id, now=now)
