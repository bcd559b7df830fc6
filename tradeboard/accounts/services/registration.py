"""Register, confirm the primary address, and ask for the mail again."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import passwords, queries, tokens
from tradeboard.accounts.models import Account, Handle
from tradeboard.accounts.rules import email as email_rules
from tradeboard.accounts.rules import handles
from tradeboard.accounts.rules import passwords as password_rules
from tradeboard.accounts.rules.email import Verdict
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.audit import services as audit
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken, TooMany
from tradeboard.notifications import services as notifications

AGAIN_AFTER = timedelta(seconds=60)
TAKEN = (
    "このハンドルは、すでに使われているか、使われているものと見分けがつきません。"
    "別のハンドルを入力してください"
)
MAILBOX_TAKEN = (
    "このメールボックスは、先に別のアカウントで確認されています。"
    "1つのメールボックスで確認できるアカウントは1つです。"
    "そのアカウントでログインするか、別の本アドレスで登録してください。"
)


@dataclass(frozen=True)
class Application:
    """What somebody registers with, checked; only its password is hashed."""

    handle: str
    skeleton: str
    email: str
    email_wire: str
    mailbox: str
    for_review: str | None
    password_hash: str


def problems(handle: str, email: str, password: str) -> list[RuleBroken]:
    """Return every reason why this cannot be registered, each with its field."""
    found = []
    name = handles.check_handle(handle)
    if name.message is not None and name.skeleton is None:
        found.append(RuleBroken(name.message, field="handle"))
    elif queries.is_taken(name.skeleton or ""):
        found.append(RuleBroken(TAKEN, field="handle"))
    address = email_rules.check_email(email)
    if address.verdict is Verdict.REFUSE and address.message is not None:
        found.append(RuleBroken(address.message, field="email"))
    weak = password_rules.check_password(password, handle=handle, email=address.email)
    if weak is not None:
        found.append(RuleBroken(weak, field="password"))
    return found


def prepare(handle: str, email: str, password: str) -> Application:
    """Check everything and hash the password; call it before the transaction."""
    for problem in problems(handle, email, password):
        raise problem
    name = handles.check_handle(handle)
    address = email_rules.check_email(email)
    return Application(
        handle=name.shown,
        skeleton=name.skeleton or "",
        email=address.email,
        email_wire=address.wire or "",
        mailbox=address.key or "",
        for_review=address.code if address.verdict is Verdict.REVIEW else None,
        password_hash=passwords.hash_password(password),
    )


def register(
    application: Application, *, language: str = "ja", now: datetime
) -> Account:
    """Make an unconfirmed account, whoever has the mailbox; the mail differs."""
    account = make_account(application, language=language, now=now)
    token = tokens.issue(account, "confirm", now=now)
    _write_to(account, token, application.mailbox, now=now)
    return account


def make_account(
    application: Application,
    *,
    language: str,
    role: Role = Role.MEMBER,
    confirmed_at: datetime | None = None,
    now: datetime,
) -> Account:
    """Add the rows of a new person; of two equal handles at once, one wins."""
    account = Account(
        handle=application.handle,
        email=application.email,
        email_wire=application.email_wire,
        email_key=keyring.mac_hex("email", application.mailbox),
        email_kid=keyring.ring().kid("email"),
        email_rules=email_rules.RULES_VERSION,
        email_confirmed_at=confirmed_at,
        password_hash=application.password_hash,
        language=language,
        role=role,
        created_at=now,
    )
    try:
        db.session.add(account)
        db.session.flush()
        db.session.add(
            Handle(
                account_id=account.id,
                shown=application.handle,
                skeleton=application.skeleton,
                since=now,
            )
        )
        db.session.flush()
    except IntegrityError:
        raise RuleBroken(TAKEN, field="handle") from None
    if application.for_review:
        audit.record(
            "review-email",
            f"account:{account.id}",
            by_id=None,
            now=now,
            code=application.for_review,
        )
    return account


def confirm(token: str, *, now: datetime) -> Account:
    """Confirm the primary address by its mailed link (B-01); one account a mailbox."""
    account = tokens.use(token, "confirm", now=now)
    if account.email_confirmed_at is not None:
        return account
    if _other_owner(account) is not None:
        raise Conflict(MAILBOX_TAKEN)
    account.email_confirmed_at = now
    try:
        db.session.flush()
    except IntegrityError:
        raise Conflict(MAILBOX_TAKEN) from None
    return account


def waiting(token: str, *, now: datetime) -> Account:
    """Return whose address a link would confirm, or raise Conflict; uses nothing."""
    return tokens.read(token, "confirm", now=now)


def may_send_again(account: Account, *, now: datetime) -> bool:
    """Tell whether a minute has passed since the last mail."""
    last = queries.newest_token_at(account.id, "confirm")
    return last is None or now >= last + AGAIN_AFTER


def send_again(account: Account, *, now: datetime) -> None:
    """Mail the confirmation once more, to the stored address, after a minute."""
    if account.is_confirmed:
        return
    if not may_send_again(account, now=now):
        last = queries.newest_token_at(account.id, "confirm") or now
        raise TooMany(
            "確認メールは、前のメールから60秒たつともう一度送れます。",
            retry_at=last + AGAIN_AFTER,
        )
    token = tokens.issue(account, "confirm", now=now)
    mailbox = email_rules.check_email(account.email_wire).key or ""
    _write_to(account, token, mailbox, now=now)


def send_again_to(address: str, *, now: datetime) -> None:
    """Do that for whoever waits with this address; nobody is told whether one does."""
    account = queries.find_unconfirmed(address)
    if account is not None and may_send_again(account, now=now):
        send_again(account, now=now)


def _write_to(account: Account, token: str, mailbox: str, *, now: datetime) -> None:
    """Send the link; to a mailbox that has an account, a word about it once a day."""
    owner = queries.find_by_mailbox(mailbox)
    if owner is None or owner.id == account.id:
        notifications.queue_mail(
            account,
            "accounts/mail/confirm.txt",
            key=f"confirm:{account.id}:{tokens.hash_token(token)[:16]}",
            now=now,
            handle=account.handle,
            path=f"/confirm/{token}",
            expires_at=now + tokens.GOOD_FOR["confirm"],
        )
        return
    notifications.queue_mail(
        owner,
        "accounts/mail/has_account.txt",
        key=f"has-account:{owner.id}:{now:%Y-%m-%d}",
        now=now,
        handle=owner.handle,
        listed=owner.standing is Standing.LISTED,
    )


def _other_owner(account: Account) -> Account | None:
    """Return who else has confirmed this mailbox, whatever key it is kept under."""
    mailbox = email_rules.check_email(account.email_wire).key
    if mailbox is None:
        return None
    owner = queries.find_by_mailbox(mailbox)
    return owner if owner is not None and owner.id != account.id else None
