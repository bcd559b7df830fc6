"""Change the primary address: ask, withdraw, and use the link that the new one got."""

from datetime import datetime

from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import queries, tokens
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules import email as rules
from tradeboard.accounts.rules.email import EmailVerdict, Verdict
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.services import closing, mailboxes, notes, sessions, watching
from tradeboard.audit import services as audit
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.notifications import services as notifications

VOID = ("confirm", "reset", "change")
THE_SAME = (
    "いまの本アドレスと同じです。変更するときは、別のアドレスを入力してください。"
)


def check(typed: str, *, by: Account) -> EmailVerdict:
    """Check a new address by the same rules as at registration, or raise RuleBroken."""
    found = rules.check_email(typed, queries.operator_rules())
    if found.verdict is Verdict.REFUSE and found.message is not None:
        raise RuleBroken(found.message, field="email")
    if found.wire == by.email_wire:
        raise RuleBroken(THE_SAME, field="email")
    return found


def ask(typed: str, *, by: Account, now: datetime) -> None:
    """Mail a link to the new address, and a word to the present one.

    To a mailbox that has another owner goes a word about that instead, once a day;
    the page does not say which.
    """
    found = check(typed, by=by)
    token = tokens.issue(by, "change", email=found.email, now=now)
    mark = tokens.hash_token(token)[:16]
    expires_at = now + tokens.GOOD_FOR["change"]
    mailbox, wire = found.key or "", found.wire or ""
    if not mailboxes.wrote_to_owner(mailbox, wire, account=by, changing=True, now=now):
        mailboxes.queue_once(
            wire,
            by.language,
            "accounts/mail/change_email.txt",
            key=f"change-email:{by.id}:{mark}",
            now=now,
            account_id=by.id,
            handle=by.handle,
            path=f"/change-email/{token}",
            expires_at=expires_at,
        )
    notifications.queue_mail(
        by,
        "accounts/mail/email_change_asked.txt",
        key=f"email-change-asked:{by.id}:{mark}",
        now=now,
        handle=by.handle,
        at=now,
        expires_at=expires_at,
    )
    audit.record("ask-email-change", f"account:{by.id}", by_id=by.id, now=now)


def withdraw(*, by: Account, now: datetime) -> None:
    """Make the open link void; the present address stays."""
    tokens.drop(by.id, "change", now=now)


def waiting(token: str, *, now: datetime) -> str:
    """Return the address that a link would change to, or raise Conflict."""
    tokens.read(token, "change", now=now)
    return tokens.new_address(token)


def change(token: str, *, keep: str | None = None, now: datetime) -> Account:
    """Change the address by its mailed link, which confirms it; other sessions end.

    `keep` names the session that stays, if it is that person's own.
    """
    account = tokens.use(token, "change", now=now)
    found = check(tokens.new_address(token), by=account)
    mailbox = found.key or ""
    mailboxes.require_free(mailbox, account=account, now=now)
    former = account.email_wire
    closing.watch_the_suspended(account, now=now)
    _set(account, found, now=now)
    watching.add_mailbox(account.id, account.email_key, account.email_kid, now=now)
    sessions.sign_out_everywhere(account.id, but=keep, now=now)
    tokens.drop(account.id, *VOID, now=now)
    audit.record("change-email", f"account:{account.id}", by_id=account.id, now=now)
    if found.verdict is Verdict.REVIEW:
        notes.note(NoteKind.EMAIL, account.id, detail=found.code, now=now)
    notifications.queue_mail_to(
        former,
        account.language,
        "accounts/mail/email_changed.txt",
        key=f"email-changed:{account.id}:{tokens.hash_token(token)[:16]}",
        now=now,
        account_id=account.id,
        handle=account.handle,
        at=now,
    )
    return account


def _set(account: Account, found: EmailVerdict, *, now: datetime) -> None:
    """Write all columns of an address at once; of two at once, one has the mailbox."""
    wire = found.wire or ""
    account.email, account.email_wire = found.email, wire
    account.email_login = wire.lower()
    account.email_key = keyring.mac_hex("email", found.key or "")
    account.email_kid = keyring.ring().kid("email")
    account.email_rules, account.email_kept_rules = rules.RULES_VERSION, None
    account.email_confirmed_at = now
    try:
        db.session.flush()
    except IntegrityError:
        raise Conflict(mailboxes.MAILBOX_TAKEN) from None
