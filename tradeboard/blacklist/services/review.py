"""A moderator looks at an entry: it stands, or it is lifted."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import LiftReason, UpholdReason
from tradeboard.blacklist.services import closing, entering, telling
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.trades import queries as trades
from tradeboard.trades.services import records

LONGEST_SENTENCE = 500


def uphold(
    entry_id: int,
    version: int,
    reason: UpholdReason,
    sentence: str,
    *,
    by: Account,
    now: datetime,
) -> Entry:
    """Let an entry stand; for a held one this is its publication.

    One that was reviewed before waits again when something new was brought forward:
    it goes on standing as it did, and ends when it would have.
    """
    entry, words = _for_decision(entry_id, version, sentence, by), sentence.strip()
    again = entry.is_public and entry.upheld_at is not None
    closing.end_claim(entry.id)
    if again:
        _put_away(entry)
    else:
        entering.publish(entry, "uphold", by_id=by.id, reviewed=True, now=now)
    telling.tell_upheld(
        accounts.get_account(entry.account_id),
        entry,
        reason.value,
        words,
        about=entry.version if again else None,
        now=now,
    )
    entering.decide(entry, "uphold", reason.value, by_id=by.id, now=now, sentence=words)
    return entry


def lift_by_moderator(
    entry_id: int,
    version: int,
    reason: LiftReason,
    sentence: str,
    *,
    by: Account,
    now: datetime,
) -> Entry:
    """Lift an entry, for one of the reasons that are a moderator's."""
    if reason not in rules.BY_MODERATORS:
        raise RuleBroken("理由の区分を選んでください。", field="reason")
    entry = _for_decision(entry_id, version, sentence, by)
    lift(entry, reason, by=by, sentence=sentence.strip(), now=now)
    return entry


def lift(
    entry: Entry,
    reason: LiftReason,
    *,
    by: Account | None,
    now: datetime,
    sentence: str = "",
) -> None:
    """Lift an entry that is at hand and locked; `by` is None when time does it.

    Only what this entry barred is released; the record is excused where the parcel
    should never have counted as late.
    """
    by_id = by.id if by is not None else None
    closing.end_claim(entry.id)
    if reason in rules.EXCUSING:
        _excuse(entry, now)
    entering.end(entry, "lift", by_id=by_id, now=now)
    entry.lift_reason = reason
    person = accounts.get_account(entry.account_id)
    telling.tell_lifted(person, entry, reason.value, sentence, now=now)
    entering.decide(
        entry, "lift", reason.value, by_id=by_id, now=now, sentence=sentence
    )


def require_outsider(entry: Entry, by: Account) -> None:
    """Let only a moderator decide who is no party, nor near to one (`trades`)."""
    require_no_party(entry, by)
    if not trades.may_judge(by, queries.parties_of(entry)):
        raise NotAllowed(trades.NEAR)


def require_no_party(entry: Entry, by: Account) -> None:
    """Let only a moderator see both sides who is no party; nobody reads his own."""
    if not by.may(Act.DECIDE_ENTRIES):
        raise NotAllowed("判断できるのは担当者だけです。")
    if by.id in queries.parties_of(entry):
        raise NotAllowed(
            "あなたはこの取引の当事者なので、判断できません。"
            "ほかの担当者に任せてください。"
        )


def check_sentence(sentence: str) -> None:
    """Ask for one factual sentence: the person reads it, the public does not."""
    if not sentence.strip():
        raise RuleBroken("理由を一文で書いてください。", field="sentence")
    if len(sentence) > LONGEST_SENTENCE:
        raise RuleBroken("%(n)s字までです。", field="sentence", n=LONGEST_SENTENCE)


def check_version(entry: Entry, version: int) -> None:
    """Refuse a decision about what has changed; say who decided what."""
    if entry.version == version:
        return
    last = queries.last_decision(entry.id)
    if last is None or last.by is None:
        raise Conflict("記録が先に変わりました。もう一度ご確認ください。")
    raise Conflict(
        "%(name)sさんが先に判断しました：%(decision)s（%(reason)s）。%(words)s",
        name=last.by.handle,
        decision=wording.DECISIONS[last.decision],
        reason=wording.reason_in_words(last.reason),
        words=last.sentence,
    )


def _for_decision(entry_id: int, version: int, sentence: str, by: Account) -> Entry:
    entry = queries.lock_entry(entry_id)
    require_outsider(entry, by)
    check_version(entry, version)
    check_sentence(sentence)
    return entry


def _put_away(entry: Entry) -> None:
    if entry.review_by is None:
        raise Conflict("この登録は、もう確認されています。")
    entry.review_by = None
    db.session.flush()


def _excuse(entry: Entry, now: datetime) -> None:
    if entry.trade_id is None:
        return
    leg = trades.get_trade(entry.trade_id).leg_from(entry.account_id)
    if leg.excused_at is None and leg.finding is not None:
        records.excuse(leg, now=now)
