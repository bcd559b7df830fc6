"""Keep passkeys: add one, recognise somebody by one, remove one."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import passkeys, queries
from tradeboard.accounts.models import Account, Passkey
from tradeboard.accounts.passkeys import Place
from tradeboard.accounts.services import telling
from tradeboard.accounts.services.telling import Change
from tradeboard.core import once
from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict, NotFound, RuleBroken

GOOD_FOR = timedelta(minutes=5)
MOST = 10
LONGEST_NAME = 40
LATE = "確かめる時間が過ぎました。もう一度ボタンを押してください。"


@dataclass(frozen=True)
class Asked:
    """What a device was asked, where and when: good once, for five minutes."""

    place: Place
    challenge: str
    at: datetime


def user_handle_of(account_id: int) -> str:
    """Return what devices call this account, a new name before its first passkey."""
    for row in queries.passkeys_of(account_id):
        return row.user_handle
    return passkeys.new_user_handle()


def add(
    answer: str,
    asked: Asked,
    *,
    name: str,
    user_handle: str,
    by: Account,
    now: datetime,
) -> Passkey:
    """Keep the public half of a passkey that a device has made."""
    _require_in_time(asked, now)
    if len(queries.passkeys_of(by.id)) >= MOST:
        raise Conflict(
            "パスキーは%(n)s個までです。使わないものを削除してください。", n=MOST
        )
    made = passkeys.check_made(asked.place, asked.challenge, answer)
    _use_up(asked, by.id, now)
    row = Passkey(
        account_id=by.id,
        credential_id=made.credential_id,
        user_handle=user_handle,
        public_key=made.public_key,
        sign_count=made.sign_count,
        name=name.strip()[:LONGEST_NAME],
        made_at=now,
    )
    try:
        with db.session.begin_nested():
            db.session.add(row)
    except IntegrityError:
        raise Conflict("このパスキーは、すでに登録されています。") from None
    telling.tell_of_change(by, Change.PASSKEY_ADDED, now=now)
    return row


def recognise(answer: str, asked: Asked, *, now: datetime) -> Account:
    """Return who shows a passkey, or raise RuleBroken; each answer is good once."""
    _require_in_time(asked, now)
    shown = passkeys.read_shown(answer)
    row = queries.find_passkey(shown.credential_id)
    if row is None or shown.user_handle not in (None, row.user_handle):
        raise RuleBroken(passkeys.WRONG)
    before = row.sign_count
    count = passkeys.check_shown(
        asked.place,
        asked.challenge,
        shown,
        public_key=row.public_key,
        sign_count=before,
    )
    _use_up(asked, row.account_id, now)
    moved = changed(
        update(Passkey)
        .where(Passkey.id == row.id, Passkey.sign_count == before)
        .values(sign_count=count, used_at=now)
    )
    account = queries.get_account(row.account_id)
    if moved != 1 or account.closed_at is not None:
        raise RuleBroken(passkeys.WRONG)
    return account


def recognise_self(answer: str, asked: Asked, *, by: Account, now: datetime) -> None:
    """Let somebody who is signed in show an own passkey, or raise RuleBroken."""
    if recognise(answer, asked, now=now).id != by.id:
        raise RuleBroken(passkeys.WRONG)


def remove(passkey_id: int, *, by: Account, now: datetime) -> None:
    """Take an own passkey away; it opens nothing any more."""
    row = db.session.get(Passkey, passkey_id)
    if row is None or row.account_id != by.id:
        raise NotFound("このパスキーは見つかりません。")
    db.session.delete(row)
    telling.tell_of_change(by, Change.PASSKEY_REMOVED, now=now)


def _require_in_time(asked: Asked, now: datetime) -> None:
    if not asked.at <= now < asked.at + GOOD_FOR:
        raise RuleBroken(LATE)


def _use_up(asked: Asked, account_id: int, now: datetime) -> None:
    """Let an answer count once, also if its cookie was copied."""
    name = f"passkey:{asked.challenge}"
    if once.find_target(account_id, name) is not None:
        raise RuleBroken(LATE)
    once.remember(account_id, name, "", now=now)
