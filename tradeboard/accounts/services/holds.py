"""Hold whoever shares a signal with a barred person: for 72 hours, once for a pair.

A signal is a browser or a number that is watched (`services.watching`). It proves
little, since families and shops share both: it bars for a while, says so to the person
and asks a moderator; it lists nobody and refuses nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.exc import IntegrityError

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Device, Hold, Watch
from tradeboard.accounts.queries import Match
from tradeboard.accounts.rules import holds as rules
from tradeboard.accounts.rules.holds import HoldDecision, Signal
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import standing, watching
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.core.messages import message
from tradeboard.notifications import services as notifications

DECISIONS = {
    HoldDecision.UNRELATED: message("関係なし"),
    HoldDecision.ALLOWED: message("関係はあるが問題なし"),
    HoldDecision.EVASION: message("制限を避けるための利用"),
}
ENDED = "この保留は、すでに終わっています。"


def device_seen(account: Account, device: Device, *, now: datetime) -> None:
    """Hold a person who writes from a browser that is watched for somebody else.

    A browser marked as shared makes a note instead. So does a member of staff: a
    visitor who plants a cookie must not be able to lock a moderator out.
    """
    until = None if device.shared or account.is_staff else rules.held_until(now)
    for match in queries.device_matches(device.id, account.id, now=now):
        _raise(_Alarm(account, match, Signal.DEVICE, device.id, until, now))


def number_sealed(account: Account, number_key: str, *, now: datetime) -> None:
    """Hold a person who seals a number that is watched for somebody else.

    Members of staff are noted, as with browsers.
    """
    until = None if account.is_staff else rules.held_until(now)
    for match in queries.number_matches(number_key, account.id, now=now):
        _raise(_Alarm(account, match, Signal.PHONE, None, until, now))


def state(hold_id: int, text: str, *, by: Account, now: datetime) -> Hold:
    """Keep what a person says about the own hold, until a moderator decides."""
    hold = queries.lock_hold(hold_id)
    if hold.account_id != by.id or hold.is_note:
        raise NotFound("この保留は見つかりません。")
    if hold.decided_at is not None or _is_over(hold, now):
        raise Conflict(ENDED)
    if not text.strip():
        raise RuleBroken("説明を書いてください。", field="statement")
    if len(text) > rules.LONGEST_STATEMENT:
        raise RuleBroken(
            "%(n)s字までです。", field="statement", n=rules.LONGEST_STATEMENT
        )
    hold.statement, hold.stated_at = text, now
    db.session.flush()
    audit.record("state hold", f"hold:{hold.id}", by_id=by.id, now=now)
    return hold


def decide(
    hold_id: int,
    decision: HoldDecision,
    sentence: str,
    *,
    version: int,
    by: Account,
    now: datetime,
) -> Hold:
    """Let a moderator who is neither of the two say what a pair is.

    Unrelated or allowed ends the hold at once; evasion leaves it to its end, so that
    there is time to list by hand, with evidence.
    """
    hold = queries.lock_hold(hold_id)
    if not by.is_staff or by.id in (hold.account_id, hold.other_id):
        raise NotAllowed("判断できるのは、この2人に当たらない担当者だけです。")
    _require_undecided(hold, version, now)
    _check_sentence(sentence)
    hold.decision, hold.sentence = decision, sentence.strip()
    hold.decided_at, hold.decided_by_id = now, by.id
    audit.record(
        "decide hold",
        f"hold:{hold.id}",
        by_id=by.id,
        now=now,
        decision=decision.value,
    )
    if hold.is_note or decision in rules.RELEASING:
        _end(hold, by_id=by.id, now=now)
    db.session.flush()
    return hold


def release(hold_id: int, *, now: datetime) -> Hold:
    """End a hold whose time is over."""
    hold = queries.lock_hold(hold_id)
    if hold.ended_at is not None or hold.until is None or now < hold.until:
        raise Conflict(ENDED)
    _end(hold, by_id=None, now=now)
    return hold


def end_cause(
    account_id: int, reason: str, *, by_id: int | None, now: datetime
) -> None:
    """Stop watching for a cause that is over; undecided holds end with their reason.

    Where another cause watches for the same person by the same signal, the hold goes on
    for that one. Everybody locks holds first, then people in the order of their ids.
    """
    watches = queries.watches_of_person(account_id)
    ended = [watch for watch in watches if watch.cause == reason]
    others = [watch for watch in watches if watch.cause != reason]
    over = []
    for hold in queries.undecided_holds_of_cause(account_id, reason):
        other = next((w for w in others if _is_reason(w, hold, ended, now)), None)
        if other is None:
            over.append(hold)
        else:
            hold.cause = other.cause
    standing.lock([account_id, *(hold.account_id for hold in over)])
    for hold in over:
        _end(hold, by_id=by_id, now=now)
    watching.end(reason)


def mark_shared(device_id: int, shared: bool, *, by: Account, now: datetime) -> Device:
    """Let a moderator say that several people use a browser: holds become notes."""
    if not by.is_staff:
        raise NotAllowed("この操作は担当者だけができます。")
    device = db.session.get(Device, device_id)
    if device is None:
        raise NotFound("この端末は見つかりません。")
    device.shared = shared
    audit.record(
        "mark device", f"device:{device.id}", by_id=by.id, now=now, shared=shared
    )
    return device


def runs(hold: Hold, now: datetime) -> bool:
    """Tell whether a hold still bars the person."""
    return not hold.is_note and not _is_over(hold, now)


def cause(hold: Hold) -> str:
    """Name the restriction that belongs to a hold."""
    return f"hold:{hold.id}"


@dataclass(frozen=True)
class _Alarm:
    """What was found, about whom, and until when it bars; None only notes it."""

    account: Account
    match: Match
    signal: Signal
    device_id: int | None
    until: datetime | None
    at: datetime


def _raise(alarm: _Alarm) -> None:
    """Hold or note a pair, and write it down."""
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


def _make(alarm: _Alarm) -> Hold | None:
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


def _take_up(note_id: int, alarm: _Alarm) -> Hold | None:
    """Let an undecided note become a hold, or begin again once it had ended."""
    hold = queries.lock_hold(note_id)
    says_no_more = hold.ended_at is None and alarm.until is None
    if not hold.is_note or hold.decided_at is not None or says_no_more:
        return None
    _fill(hold, alarm)
    db.session.flush()
    return hold


def _fill(hold: Hold, alarm: _Alarm) -> None:
    hold.account_id, hold.other_id = alarm.account.id, alarm.match.other_id
    hold.cause, hold.signal = alarm.match.cause, alarm.signal
    hold.device_id = alarm.device_id
    hold.made_at, hold.until, hold.ended_at = alarm.at, alarm.until, None


def _bar(hold: Hold, alarm: _Alarm) -> None:
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


def _end(hold: Hold, *, by_id: int | None, now: datetime) -> None:
    """End a hold and what it barred, and say so; a note ends unseen."""
    hold.ended_at = now
    db.session.flush()
    if hold.is_note:
        return
    standing.release(hold.account_id, cause(hold), by_id=by_id, now=now)
    account = queries.get_account(hold.account_id)
    notifications.queue_mail(
        account,
        "accounts/mail/hold_released.txt",
        key=f"hold-released:{hold.id}",
        now=now,
        handle=account.handle,
        hold=hold.id,
        signal=hold.signal.value,
        free=account.standing is Standing.GOOD,
    )


def _is_reason(watch: Watch, hold: Hold, ended: Sequence[Watch], now: datetime) -> bool:
    """Tell whether a watch of another cause would have made this hold as well."""
    if hold.signal is Signal.DEVICE:
        return watch.device_id is not None and watch.device_id == hold.device_id
    numbers = {old.hash for old in ended if old.signal is Signal.PHONE}
    lasts = watch.until is None or now < watch.until
    return watch.signal is Signal.PHONE and watch.hash in numbers and lasts


def _require_undecided(hold: Hold, version: int, now: datetime) -> None:
    """Refuse a decision about what has changed; say who decided what."""
    if hold.decision is not None and hold.decided_by_id is not None:
        raise Conflict(
            "%(name)sさんが先に判断しました：%(decision)s。%(words)s",
            name=queries.get_account(hold.decided_by_id).handle,
            decision=DECISIONS[hold.decision],
            words=hold.sentence,
        )
    if _is_over(hold, now):
        raise Conflict(ENDED)
    if hold.version != version:
        raise Conflict("記録が先に変わりました。もう一度ご確認ください。")


def _check_sentence(sentence: str) -> None:
    if not sentence.strip():
        raise RuleBroken("理由を一文で書いてください。", field="sentence")
    if len(sentence) > rules.LONGEST_SENTENCE:
        raise RuleBroken(
            "%(n)s字までです。", field="sentence", n=rules.LONGEST_SENTENCE
        )


def _is_over(hold: Hold, now: datetime) -> bool:
    timed_out = hold.until is not None and hold.until <= now
    return hold.ended_at is not None or timed_out
