"""Erase a closed account, 30 days after closing: the person is nobody any more.

What an entry needs stays until it ends: the name on it, its browsers and keyed hashes,
who watches for them, and the link by which the person answers. What was written in
trades is evidence for two, and goes by its own time (`services.purging`).
"""

from datetime import datetime

from sqlalchemy import delete, exists, or_, select, update

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import (
    Account,
    Block,
    Device,
    DeviceName,
    DeviceUse,
    Handle,
    Hold,
    MailedToken,
    Passkey,
    RecoveryCode,
    Restriction,
    Session,
    StaffNote,
    Totp,
)
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import standing
from tradeboard.api.models import ApiKey
from tradeboard.audit import services as audit
from tradeboard.blacklist.models import Claim, Entry, EntryDraft
from tradeboard.cards.models import Card, MatchNews
from tradeboard.core.db import changed, db
from tradeboard.core.drafts import FormDraft
from tradeboard.core.errors import Conflict
from tradeboard.core.japan import ZONE
from tradeboard.core.once import Submission
from tradeboard.feedback.models import Feedback
from tradeboard.listings import services as listings
from tradeboard.listings.models import SavedSearch
from tradeboard.notifications import services as notifications
from tradeboard.notifications.models import DigestMark, MailChoice, Notice
from tradeboard.privacy.rules.retention import is_erasable
from tradeboard.reports.models import MemberWarning, Remark, Report
from tradeboard.trades import queries as trades
from tradeboard.trades.models import PhoneSide

# Reserved, so that nobody bears it.
GONE = "退会した会員"

OWN = (
    Session,
    MailedToken,
    Passkey,
    Totp,
    RecoveryCode,
    DeviceName,
    DeviceUse,
    ApiKey,
    EntryDraft,
    Submission,
    SavedSearch,
    Card,
    MatchNews,
    Notice,
    MailChoice,
    DigestMark,
    FormDraft,
    MemberWarning,
    Remark,
)


def erase(account_id: int, *, now: datetime) -> None:
    """Erase all of a closed account that nothing needs any more, once."""
    standing.lock([account_id])
    account = accounts.get_account(account_id)
    if account.erased_at is not None or not is_erasable(account.closed_at, now):
        raise Conflict("このアカウントを消す時ではありません。")
    if trades.has_running_trade(account_id):
        raise Conflict("進行中の取引があります。")
    listings.erase(account_id)
    notifications.forget_mails_to(account, now=now)
    _delete_own(account_id)
    _empty_numbers(account_id)
    _empty_what_was_said(account_id)
    _empty(account)
    account.erased_at = now
    erase_rest(account_id, now=now)
    audit.record("erase", f"account:{account_id}", by_id=None, now=now)


def erase_rest(account_id: int, *, now: datetime) -> None:
    """Erase of an erased account what an entry, ended since, had still needed."""
    ended = (Entry.account_id == account_id, Entry.ended_at.is_not(None))
    changed(update(Entry).where(*ended).values(handle=""))
    over = (Restriction.account_id == account_id, Restriction.ended_at.is_not(None))
    changed(delete(Restriction).where(*over))
    own_holds = Hold.account_id == account_id
    if accounts.watches_of_person(account_id):
        emptied = update(Hold).where(own_holds)
        changed(emptied.values(statement="", sentence="", device_id=None))
    else:
        changed(delete(Hold).where(own_holds))
    db.session.expire_all()


def _delete_own(account_id: int) -> None:
    """Delete the rows that are the person's alone, and browsers of nobody else."""
    used = select(DeviceUse.device_id).where(DeviceUse.account_id == account_id)
    device_ids = db.session.scalars(used.distinct()).all()
    for model in OWN:
        changed(delete(model).where(model.account_id == account_id))
    changed(delete(Claim).where(Claim.by_id == account_id))
    pair = or_(StaffNote.account_id == account_id, StaffNote.other_id == account_id)
    changed(delete(StaffNote).where(pair))
    blocks = or_(Block.account_id == account_id, Block.blocked_id == account_id)
    changed(delete(Block).where(blocks))
    changed(update(Hold).where(Hold.account_id == account_id).values(device_id=None))
    unused = delete(Device).where(Device.id.in_(device_ids))
    for column in accounts.references_to(Device, but=frozenset()):
        unused = unused.where(~exists().where(column == Device.id))
    changed(unused)


def _empty_numbers(account_id: int) -> None:
    """Erase what is left of numbers; their own job has taken the most of it."""
    own = update(PhoneSide).where(PhoneSide.account_id == account_id)
    changed(
        own.values(
            number=None,
            number_hash=None,
            number_kid=None,
            number_masked="",
            number_code="",
            address=None,
            words_hash=None,
        )
    )


def _empty_what_was_said(account_id: int) -> None:
    """Leave of feedback its grade and of reports what was decided; no words."""
    said = or_(Feedback.by_id == account_id, Feedback.about_id == account_id)
    changed(update(Feedback).where(said).values(words="", tags=[]))
    told = or_(Report.reporter_id == account_id, Report.account_id == account_id)
    changed(update(Report).where(told).values(words="", sentence=""))


def _empty(account: Account) -> None:
    """Leave of the row what others refer to: a number without a person."""
    account.handle = GONE
    account.email = account.email_wire = account.email_login = ""
    account.email_key, account.email_kid = f"erased:{account.id}", ""
    account.email_kept_rules = None
    account.password_hash = "!"
    account.prefecture, account.language = "", "ja"
    account.time_zone = ZONE
    account.role = Role.MEMBER
    account.completed_count = account.partner_count = account.on_time_count = 0
    account.ended_count = account.late_count = account.cancelled_count = 0
    account.good_count = account.fair_count = account.bad_count = 0
    changed(update(Handle).where(Handle.account_id == account.id).values(shown=""))
    db.session.flush()
