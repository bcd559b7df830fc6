"""Hold whoever shares a signal with a barred person: for 72 hours, once for a pair.

A signal is a browser or a number that is watched (`services.watching`). It proves
little, since families and shops share both: it bars for a while, says so to the person
and asks a moderator; it lists nobody and refuses nobody.
"""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Device, Hold, Watch
from tradeboard.accounts.rules import holds as rules
from tradeboard.accounts.rules.holds import HoldDecision, Signal
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import alarms, standing, watching
from tradeboard.accounts.services.alarms import Alarm
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.core.messages import message
from tradeboard.notifications import services as notifications

DECISIONS = {
    HoldDecision.UNRELATED: message("関係なし"),
    HoldDecision.ALLOWED: message("関係あり・問題なし"),
    HoldDecision.EVASION: message("登録逃れ"),
}
ENDED = "この保留は、すでに終わっています。"


def device_seen(account: Account, device: Device, *, now: datetime) -> None:
    """Hold a person who writes from a browser that is watched for somebody else.

    A browser marked as shared makes a note instead. So does a member of staff: a
    visitor who plants a cookie must not be able to lock a moderator out.
    """
    until = None if device.shared or account.is_staff else rules.held_until(now)
    for match in queries.device_matches(device.id, account.id, now=now):
        alarms.sound(Alarm(account, match, Signal.DEVICE, device.id, until, now))


def number_sealed(account: Account, number_key: str, *, now: datetime) -> None:
    """Hold a person who seals a number that is watched for somebody else.

    Members of staff are noted, as with browsers.
    """
    until = None if account.is_staff else rules.held_until(now)
    for match in queries.number_matches(number_key, account.id, now=now):
        alarms.sound(Alarm(account, match, Signal.PHONE, None, until, now))


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
    if not by.may(Act.DECIDE_HOLDS) or by.id in (hold.account_id, hold.other_id):
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
    for that one. Everybody locks what is watched, then holds, then people in the order
    of their ids.
    """
    queries.lock_watches_of_cause(reason)
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
    if not by.may(Act.DECIDE_HOLDS):
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


def _end(hold: Hold, *, by_id: int | None, now: datetime) -> None:
    """End a hold and what it barred, and say so; a note ends unseen.

    Whoever has left meanwhile is written to no more.
    """
    hold.ended_at = now
    db.session.flush()
    if hold.is_note:
        return
    standing.release(hold.account_id, alarms.cause(hold), by_id=by_id, now=now)
    account = queries.get_account(hold.account_id)
    if account.closed_at is not None:
        return
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
        raise Conflict("この保留の内容が先に変わりました。もう一度ご確認ください。")


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
