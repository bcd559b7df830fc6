"""Say how a trade was, show it when both have or time has, hide words."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import record, standing
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.feedback import queries, rules
from tradeboard.feedback.models import Feedback
from tradeboard.feedback.rules import Grade, HideReason
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.services import texts


def write(
    trade_id: int,
    grade: str,
    tags: Sequence[str],
    words: str,
    *,
    by: Account,
    now: datetime,
) -> Feedback:
    """Say how a trade was, once; if the partner has already, both are shown now."""
    trade = _lock(trade_id, by)
    room = queries.room_of(trade, by.id, now)
    if room.own is not None:
        raise Conflict("この取引の評価はもう送っています。あとから変えられません。")
    if not room.may_write:
        raise Conflict("この取引の評価は、いまは書けません。")
    check(grade, tags, words, by=by)
    own = Feedback(
        trade_id=trade.id,
        by_id=by.id,
        about_id=trade.partner_of(by.id).id,
        grade=Grade(grade),
        tags=[tag for tag in rules.TAGS if tag in set(tags)],
        words=words,
        written_at=now,
        reveal_at=rules.reveal_at(now),
    )
    db.session.add(own)
    db.session.flush()
    written = queries.of_trade(trade.id)
    if len(written) > 1:
        _show(trade, written, now=now)
    return own


def check(grade: str | None, tags: Sequence[str], words: str, *, by: Account) -> None:
    """Refuse what cannot be sent."""
    rules.check(grade, tags, words)
    texts.check(words, field="words", by=by)


def reveal(trade_id: int, *, now: datetime) -> None:
    """Show what was written 14 days ago, though the partner has not written."""
    trade = _lock(trade_id)
    waiting = [
        row
        for row in queries.of_trade(trade.id)
        if row.shown_at is None and row.reveal_at <= now
    ]
    if not waiting:
        raise Conflict("期限はまだ過ぎていません。")
    _show(trade, waiting, now=now)


def hide_words(feedback_id: int, reason: str, *, by: Account, now: datetime) -> None:
    """Hide the words of feedback from everybody; grade and tags stay."""
    row = _moderated(feedback_id, by)
    if reason not in set(HideReason):
        raise RuleBroken("理由を選んでください", field="reason")
    if row.hidden_at is not None or not row.words:
        raise Conflict("この評価の言葉は、もう表示されていません。")
    row.hidden_at, row.hidden_reason = now, HideReason(reason)
    audit.record(
        "hide words", f"feedback:{row.id}", by_id=by.id, now=now, reason=reason
    )


def restore_words(feedback_id: int, *, by: Account, now: datetime) -> None:
    """Show the words of feedback again."""
    row = _moderated(feedback_id, by)
    if row.hidden_at is None:
        raise Conflict("この評価の言葉は、いま表示されています。")
    row.hidden_at = row.hidden_reason = None
    audit.record("restore words", f"feedback:{row.id}", by_id=by.id, now=now)


def _show(trade: Trade, rows: Sequence[Feedback], *, now: datetime) -> None:
    """Show feedback to everybody, count it, and tell whom it is about."""
    standing.lock([row.about_id for row in rows])
    for row in rows:
        row.shown_at = now
    db.session.flush()
    for row in rows:
        record.keep_grades(row.about_id, queries.summary_of(row.about_id))
        queue_mail(
            accounts.get_account(row.about_id),
            "feedback/mail/shown.txt",
            key=f"feedback-shown:{row.id}",
            now=now,
            trade=trade.id,
            partner=trade.partner_of(row.about_id).handle,
        )


def _lock(trade_id: int, by: Account | None = None) -> Trade:
    """Lock a trade, so that two who write at once see each other."""
    db.session.execute(select(Trade.id).where(Trade.id == trade_id).with_for_update())
    if by is None:
        return trades.get_trade(trade_id)
    return trades.get_trade_of(by.id, trade_id)


def _moderated(feedback_id: int, by: Account) -> Feedback:
    row = queries.get_shown(feedback_id)
    two = (row.by_id, row.about_id)
    if not by.may(Act.HIDE_WORDS) or not trades.may_judge(by, two):
        raise NotAllowed(
            "自分がかかわる評価は扱えません。ほかの担当者に任せてください。"
        )
    return row
