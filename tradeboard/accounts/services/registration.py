"""Register, confirm the primary address, and ask for the mail again."""

from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import passwords, queries, tokens
from tradeboard.accounts.models import Account, Handle
from tradeboard.accounts.rules import email as email_rules
from tradeboard.accounts.rules import handles
from tradeboard.accounts.rules import passwords as password_rules
from tradeboard.accounts.rules.email import Verdict
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import decoys, mailboxes, notes
from tradeboard.audit import services as audit
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken, TooMany
from tradeboard.core.records import dataclass
from tradeboard.site import queries as site

AGAIN_AFTER = timedelta(seconds=60)
TAKEN = (
    "このハンドルは、すでに使われているか、使われているものと見分けがつきません。"
    "別のハンドルを入力してください"
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


def require_open() -> None:
    """Let nobody register while an admin has closed it."""
    if not site.settings().registration_open:
        raise NotAllowed(
            "いまは新しい登録を受け付けていません。"
            "登録のある人は、いつものようにログインできます。"
        )


def problems(handle: str, email: str, password: str) -> list[RuleBroken]:
    """Return every reason why this cannot be registered, each with its field."""
    found = []
    name = handles.check_handle(handle)
    if name.message is not None and name.skeleton is None:
        found.append(RuleBroken(name.message, field="handle"))
    elif queries.is_taken(name.skeleton or ""):
        found.append(RuleBroken(TAKEN, field="handle"))
    address = email_rules.check_email(email, queries.operator_rules())
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
    address = email_rules.check_email(email, queries.operator_rules())
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
    require_open()
    account = make_account(application, language=language, now=now)
    token = tokens.issue(account, "confirm", now=now)
    _write_to(account, token, now=now)
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
        notes.note(NoteKind.EMAIL, account.id, detail=application.for_review, now=now)
    return account


def confirm(token: str, *, now: datetime) -> Account:
    """Confirm the primary address by its mailed link (B-01); one account a mailbox."""
    account = tokens.use(token, "confirm", now=now)
    if account.email_confirmed_at is not None:
        return account
    mailboxes.require_free(_mailbox(account), account=account, now=now)
    account.email_confirmed_at = now
    try:
        db.session.flush()
    except IntegrityError:
        raise Conflict(mailboxes.MAILBOX_TAKEN) from None
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
    _send(account, now=now)


def send_again_to(address: str, *, now: datetime) -> None:
    """Do that for whoever waits with this address; nobody is told whether one does.

    The database is asked and given as much for an address with which nobody waits.
    """
    account = queries.find_unconfirmed(address)
    last = queries.newest_token_at(account.id if account else decoys.NOBODY, "confirm")
    if account is None or last is not None and now < last + AGAIN_AFTER:
        mailbox = email_rules.mailbox_of(address) or ""
        decoys.confirmation(mailbox, now=now)
        return
    _send(account, now=now)


def _send(account: Account, *, now: datetime) -> None:
    _write_to(account, tokens.issue(account, "confirm", now=now), now=now)


def _write_to(account: Account, token: str, *, now: datetime) -> None:
    """Send the link; to a mailbox that is another's, a word about that once a day."""
    mailbox, wire = _mailbox(account), account.email_wire
    if mailboxes.wrote_to_owner(
        mailbox, wire, account=account, changing=False, now=now
    ):
        return
    mailboxes.queue_once(
        wire,
        account.language,
        "accounts/mail/confirm.txt",
        key=f"confirm:{account.id}:{tokens.hash_token(token)[:16]}",
        now=now,
        account_id=account.id,
        handle=account.handle,
        path=f"/confirm/{token}",
        expires_at=now + tokens.GOOD_FOR["confirm"],
    )


def _mailbox(account: Account) -> str:
    """Return the mailbox of a stored address, whatever the lists say of it today."""
    return email_rules.mailbox_of(account.email_wire) or ""
