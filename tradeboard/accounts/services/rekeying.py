"""Make the keys of mailboxes anew, when the rules or the key of the hashes change."""

from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import RULES_VERSION, mailbox_of
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.services import notes, watching
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.core.records import dataclass

BATCH = 500


class Outcome(StrEnum):
    """What became of the key of one account."""

    DONE = "done"
    KEPT = "kept"
    AS_IT_WAS = "as_it_was"


@dataclass(frozen=True)
class Rekeyed:
    """The outcome for one account; `kept` and `other` name two who would meet."""

    outcome: Outcome
    kept: int | None = None
    other: int | None = None


@dataclass
class Counts:
    """What became of the keys of all accounts; `met` holds (kept, other) pairs."""

    done: int = 0
    kept: int = 0
    met: list[tuple[int, int]] = field(default_factory=list)


def rekey(account_id: int, *, version: int = RULES_VERSION, now: datetime) -> Rekeyed:
    """Make the key of one account anew from its stored address.

    If another confirmed account has that key, both stay: the later one keeps its
    former key, and moderators get a note. Nobody is merged.
    """
    account = _lock(account_id)
    if account is None or _is_up_to_date(account, version):
        return Rekeyed(Outcome.AS_IT_WAS)
    mailbox = _mailbox(account.email_wire)
    other = None
    if account.is_confirmed and account.closed_at is None:
        keys = queries.email_keys(mailbox)
        other = mailboxes.key_holder(keys, but=account.id)
    if other is None:
        account.email_key = keyring.mac_hex("email", mailbox)
        account.email_kid = _kid()
        account.email_rules, account.email_kept_rules = version, None
        _flush()
        # What is watched under former rules would not match this mailbox any more.
        watching.add_mailbox(account.id, account.email_key, account.email_kid, now=now)
        return Rekeyed(Outcome.DONE)
    return _keep_both(account, other, mailbox, version, now=now)


def rekey_all(*, now: datetime) -> Counts:
    """Make the keys of all accounts anew under the key in use, in one transaction.

    A mailbox is unique only if all are kept under one key. Of two who meet, the later
    one gets the hash of its own address, so that no row names the former key.
    """
    counts = Counts()
    holders: dict[str, int] = {}
    columns = (
        Account.id,
        Account.email_wire,
        Account.email_rules,
        Account.email_kept_rules,
        Account.email_confirmed_at,
        Account.closed_at,
    )
    # Locked, so that no address changes between being read and being written.
    locked = select(Account.id).order_by(Account.id).with_for_update(key_share=True)
    db.session.execute(locked).all()
    found = select(*columns).where(Account.erased_at.is_(None))
    rows = db.session.execute(found.order_by(*mailboxes.IN_ORDER)).all()
    for start in range(0, len(rows), BATCH):
        changes = [_change(row, holders, counts) for row in rows[start : start + BATCH]]
        db.session.execute(update(Account), changes)
    db.session.expire_all()
    noted = {row.id for row in rows if row.email_kept_rules == RULES_VERSION}
    for kept, other in counts.met:
        if kept not in noted:
            _note(kept, other, now=now)
    return counts


def _lock(account_id: int) -> Account | None:
    return db.session.scalar(
        select(Account)
        .where(Account.id == account_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )


def _is_up_to_date(account: Account, version: int) -> bool:
    made_or_kept = account.email_rules >= version or account.email_kept_rules == version
    return made_or_kept and account.email_kid == _kid()


def _keep_both(
    account: Account, other: Account, mailbox: str, version: int, *, now: datetime
) -> Rekeyed:
    """Leave two who meet as they are; the note names the later one first."""
    later, earlier = sorted((account, other), key=_since, reverse=True)
    is_known = later.email_kept_rules == version
    account.email_kept_rules = later.email_kept_rules = version
    if account.email_kid != _kid():
        own = _own_keys(account, mailbox)
        account.email_key = next(
            key for key in own if mailboxes.key_holder([key], but=account.id) is None
        )
        account.email_kid = _kid()
    _flush()
    if not is_known:
        _note(later.id, earlier.id, now=now)
    return Rekeyed(Outcome.KEPT, kept=later.id, other=earlier.id)


def _change(
    row: Any, holders: dict[str, int], counts: Counts
) -> dict[str, int | str | None]:
    """Return the new columns of one account; `holders` has the keys given so far."""
    mailbox = _mailbox(row.email_wire)
    key = keyring.mac_hex("email", mailbox)
    counts.done += 1
    rules, kept = RULES_VERSION, None
    counts_here = row.email_confirmed_at is not None and row.closed_at is None
    if counts_here and holders.setdefault(key, row.id) != row.id:
        counts.kept += 1
        counts.met.append((row.id, holders[key]))
        rules, kept = row.email_rules, RULES_VERSION
        key = next(k for k in _own_keys(row, mailbox) if k not in holders)
        holders[key] = row.id
    return {
        "id": row.id,
        "email_key": key,
        "email_kid": _kid(),
        "email_rules": rules,
        "email_kept_rules": kept,
    }


def _own_keys(account: Any, mailbox: str) -> list[str]:
    """Return keys for somebody whose mailbox has another owner, the better one first.

    The second is nobody else's: no mailbox has a space in its name.
    """
    own = account.email_wire.lower()
    values = [own] if own != mailbox else []
    values.append(f"{own} {account.id}")
    return [keyring.mac_hex("email", value) for value in values]


def _mailbox(wire: str) -> str:
    return mailbox_of(wire) or wire.lower()


def _since(account: Account) -> tuple[datetime, int]:
    return account.email_confirmed_at or account.created_at, account.id


def _note(kept: int, other: int, *, now: datetime) -> None:
    notes.note(NoteKind.KEYS_MEET, kept, other_id=other, now=now)


def _kid() -> str:
    return keyring.ring().kid("email")


def _flush() -> None:
    try:
        db.session.flush()
    except IntegrityError:
        raise Conflict("このメールボックスは、たったいま確認されました。") from None
