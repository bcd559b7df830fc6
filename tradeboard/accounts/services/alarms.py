"""What happens when a signal points at a barred person: a hold, or a note for staff."""

from datetime import datetime

from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Hold
from tradeboard.accounts.queries import Match
from tradeboard.accounts.rules import holds as rules
from tradeboard.accounts.rules.holds import Signal
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import standing
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.notifications import services as notifications


@dataclass(frozen=True)
class Alarm:
    """What was found, about whom, and until when it bars; None only notes it."""

    account: Account
    match: Match
    signal: Signal
    device_id: int | None
    until: datetime | None
    at: datetime


def sound(alarm: Alarm) -> None:
    """Hold or note a pair, and write it down."""
    if not queries.keep_watched(alarm.match):
        return
    note = alarm.match.note
    hold = _make(alarm) if note is None else _take_up(note.id, alarm)
    if hold is None:
        return
    if alarm.until is not None:
        _bar(hold, alarm)
    audit.record(
        "note pair" if hold.is_note else "hold",
        cause(hold),
        by_id=None,
        now=alarm.at,
        account=hold.account_id,
        other=hold.other_id,
        cause=hold.cause,
        signal=hold.signal.value,
        device=hold.device_id,
    )


def _make(alarm: Alarm) -> Hold | None:
    """Add the pair; of two who find it at once, one does."""
    low, high = rules.pair(alarm.account.id, alarm.match.other_id)
    hold = Hold(low_id=low, high_id=high)
    _fill(hold, alarm)
    try:
        with db.session.begin_nested():
            db.session.add(hold)
    except IntegrityError:
        return None
    return hold


def _take_up(note_id: int, alarm: Alarm) -> Hold | None:
    """Let an undecided note become a hold, or begin again once it had ended."""
    hold = queries.lock_hold(note_id)
    says_no_more = hold.ended_at is None and alarm.until is None
    if not hold.is_note or hold.decided_at is not None or says_no_more:
        return None
    _fill(hold, alarm)
    db.session.flush()
    return hold


def _fill(hold: Hold, alarm: Alarm) -> None:
    hold.account_id, hold.other_id = alarm.account.id, alarm.match.other_id
    hold.cause, hold.signal = alarm.match.cause, alarm.signal
    hold.device_id = alarm.device_id
    hold.made_at, hold.until, hold.ended_at = alarm.at, alarm.until, None


def _bar(hold: Hold, alarm: Alarm) -> None:
    standing.restrict(
        hold.account_id, cause(hold), Standing.HELD, until=hold.until, now=alarm.at
    )
    notifications.queue_mail(
        alarm.account,
        "accounts/mail/held.txt",
        key=f"held:{hold.id}",
        now=alarm.at,
        handle=alarm.account.handle,
        hold=hold.id,
        signal=hold.signal.value,
        until=hold.until,
    )


def cause(hold: Hold) -> str:
    """Name the restriction that belongs to a hold."""
    return f"hold:{hold.id}"
