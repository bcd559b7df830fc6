"""Extend, cancel, settle: one side proposes, the other answers."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries
from tradeboard.trades.models import Proposal, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import Answer, ProposalKind
from tradeboard.trades.services import closing, texts
from tradeboard.trades.services.moving import move, require_before


def propose(
    trade_id: int, kind: ProposalKind, words: str, *, by: Account, now: datetime
) -> Proposal:
    """Let one side propose; a cancellation is agreed by three days of silence."""
    trade = queries.get_trade_of(by.id, trade_id)
    _require_possible(trade, kind, now)
    texts.check(words, field="words", by=by)
    if kind is ProposalKind.SETTLE and not words.strip():
        raise RuleBroken("どう解決するかを書いてください。", field="words")
    if queries.open_proposal(trade, kind) is not None:
        raise Conflict("同じ提案がもう出ています。")
    move(trade, f"propose {kind}", by_id=by.id, now=now)
    proposal = Proposal(
        trade_id=trade.id, kind=kind, by_id=by.id, words=words.strip(), made_at=now
    )
    if kind is ProposalKind.CANCEL:
        proposal.silent_until = now + clock.SILENCE_CANCELS
    db.session.add(proposal)
    db.session.flush()
    queue_mail(
        trade.partner_of(by.id),
        f"trades/mail/{kind}_proposed.txt",
        key=f"proposed:{proposal.id}",
        now=now,
        trade=trade.id,
        partner=by.handle,
        silent_until=proposal.silent_until or now,
    )
    return proposal


def answer(proposal_id: int, *, agree: bool, by: Account, now: datetime) -> Proposal:
    """Let the other side agree or decline, before the due instant."""
    proposal = queries.get_proposal_of(by.id, proposal_id)
    trade = proposal.trade
    _require_open(proposal)
    if proposal.by_id == by.id:
        raise NotAllowed("提案に答えるのは、もう一方の人です。")
    require_before(trade.due_at, now)
    proposal.answered_at = now
    proposal.answer = Answer.AGREED if agree else Answer.DECLINED
    if agree:
        _carry_out(proposal, by.id, now)
    else:
        trade.moved_at = now
    queue_mail(
        trade.partner_of(by.id),
        f"trades/mail/proposal_{proposal.answer}.txt",
        key=f"answered:{proposal.id}",
        now=now,
        trade=trade.id,
        partner=by.handle,
        kind=proposal.kind,
        due_at=trade.due_at or now,
    )
    return proposal


def take_back(proposal_id: int, *, by: Account, now: datetime) -> Proposal:
    """Let whoever proposed it take it back, as long as nobody answered."""
    proposal = queries.get_proposal_of(by.id, proposal_id)
    _require_open(proposal)
    if proposal.by_id != by.id:
        raise NotAllowed("取り下げられるのは、提案した人だけです。")
    proposal.answered_at, proposal.answer = now, Answer.WITHDRAWN
    proposal.trade.moved_at = now
    return proposal


def settle_silent(proposal_id: int, *, now: datetime) -> None:
    """Cancel what the other side left unanswered for three days."""
    proposal = queries.get_proposal(proposal_id)
    _require_open(proposal)
    if not clock.is_over(proposal.silent_until, now):
        raise Conflict("期限はまだ過ぎていません。")
    proposal.answered_at, proposal.answer = now, Answer.SILENCE
    _carry_out(proposal, None, now)


def _carry_out(proposal: Proposal, by_id: int | None, now: datetime) -> None:
    trade = proposal.trade
    if proposal.kind is ProposalKind.EXTEND:
        _require_another_extension(trade)
        move(trade, "extend", by_id=by_id, now=now)
        assert trade.first_dispatched_at is not None
        trade.extensions += 1
        trade.due_at = clock.due_at(trade.first_dispatched_at, trade.extensions)
        return
    event = "cancel" if proposal.kind is ProposalKind.CANCEL else "settle"
    move(trade, event, by_id=by_id, now=now)
    why = "consent" if by_id is not None else "silence"
    if event == "settle":
        why = "settled"
    closing.cancelled(trade, by_id=by_id, now=now, why=why)


def _require_possible(trade: Trade, kind: ProposalKind, now: datetime) -> None:
    require_before(trade.due_at or trade.call_by or trade.dispatch_by, now)
    if kind is ProposalKind.EXTEND:
        _require_another_extension(trade)
    if kind is not ProposalKind.CANCEL and trade.first_dispatched_at is None:
        raise Conflict("いまの状態では、この操作はできません。")


def _require_another_extension(trade: Trade) -> None:
    if trade.due_at is None:
        raise Conflict("いまの状態では、この操作はできません。")
    if trade.extensions >= clock.MOST_EXTENSIONS:
        raise Conflict("期限を延ばせるのは2回までです。")


def _require_open(proposal: Proposal) -> None:
    if proposal.answered_at is not None:
        raise Conflict("この提案はもう終わっています。")
