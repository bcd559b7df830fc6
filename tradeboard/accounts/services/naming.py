"""Take another name: the former one stays the person's own and nobody else's."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Handle
from tradeboard.accounts.rules import handles, naming
from tradeboard.accounts.services.registration import TAKEN
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken

THE_SAME = "いまのハンドルと同じです。別のハンドルを入力してください。"
TOO_SOON = (
    "ハンドルの変更は30日に1回までです。次に変えられる日時はこのページにあります。"
)


def rename(by: Account, typed: str, *, now: datetime) -> Account:
    """Give a person another name, a former one, or the same one spelled differently.

    Of two people who want one name at the same moment, one gets it.
    """
    verdict = handles.check_handle(typed)
    if verdict.skeleton is None:
        assert verdict.message is not None
        raise RuleBroken(verdict.message, field="handle")
    account = _lock(by.id)
    if verdict.shown == account.handle:
        raise RuleBroken(THE_SAME, field="handle")
    before, after = _names(account, verdict.skeleton)
    again = naming.may_rename_from(queries.renamed_at(account.id))
    if again is not None and now < again:
        raise RuleBroken(TOO_SOON, field="handle")
    before.current = False
    if after is None:
        after = _add(account, verdict.skeleton)
    after.shown, after.since, after.current = verdict.shown, now, True
    account.handle = verdict.shown
    _keep()
    audit.record(
        "rename",
        f"account:{account.id}",
        by_id=by.id,
        now=now,
        before=before.id,
        after=after.id,
    )
    return account


def _lock(account_id: int) -> Account:
    account = db.session.scalars(
        select(Account)
        .where(Account.id == account_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()
    if account.closed_at is not None:
        raise Conflict("このアカウントは退会済みです。")
    return account


def _names(account: Account, skeleton: str) -> tuple[Handle, Handle | None]:
    """Return the present name, and the own one that reads like the wanted one."""
    own = queries.names_of(account.id)
    wanted = queries.find_name(skeleton)
    if wanted is not None and wanted.account_id != account.id:
        raise RuleBroken(TAKEN, field="handle")
    return own[0], wanted


def _add(account: Account, skeleton: str) -> Handle:
    name = Handle(account_id=account.id, skeleton=skeleton)
    db.session.add(name)
    return name


def _keep() -> None:
    try:
        db.session.flush()
    except IntegrityError:
        raise RuleBroken(TAKEN, field="handle") from None
