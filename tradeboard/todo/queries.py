"""Read what awaits a member, from states alone: of running trades, and beside them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    Select,
    bindparam,
    cast,
    func,
    literal,
    null,
    select,
    union_all,
)
from sqlalchemy.orm import joinedload, selectinload

from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import Entry, EvidenceRequest
from tradeboard.blacklist.rules.entries import STANDING_STATES
from tradeboard.core import prepared
from tradeboard.core.db import UtcDateTime, db, one_of
from tradeboard.feedback import queries as feedback
from tradeboard.feedback.rules import write_until
from tradeboard.listings.models import Listing
from tradeboard.notifications import queries as notifications
from tradeboard.reports.models import MemberWarning
from tradeboard.terms.models import Agreement, TermsVersion
from tradeboard.todo.rules import Duty, Errand, Open, Task, in_order
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.rules import next_step


def count(account_id: int, now: datetime) -> int:
    """Return how many things a member can do now."""
    return counts(account_id, now)[0]


def counts(account_id: int, now: datetime) -> tuple[int, int]:
    """Return how many things a member can do now, and how many notices are unread.

    Asked on every page: two statements, of columns alone.
    """
    running = trades.running_facts(account_id, now)
    steps = sum(len(next_step.own_steps(facts)) for facts in running)
    since = feedback.first_open(now)
    gaps = {"account_id": account_id, "since": since}
    codes = prepared.alone(_counted(), gaps)
    unread = sum(number for code, number in codes if code == _NOTICES)
    waiting = sum(code != _NOTICES for code, _ in codes)
    return steps + waiting, unread


def running(account_id: int) -> Sequence[Trade]:
    """Return a member's running trades with all that the page names."""
    return trades.running_of(account_id, whole=True)


def open_in(found: Sequence[Trade], account_id: int, now: datetime) -> list[Open]:
    """Return all that awaits a member who has these running trades."""
    return in_order([*_steps_in(found, account_id, now), *errands(account_id, now)])


def tasks(account_id: int, now: datetime) -> list[Open]:
    """Return what a member can do in trades, nearest deadline first."""
    return in_order(_steps_in(trades.running_of(account_id), account_id, now))


def waiting(account_id: int, now: datetime) -> list[Open]:
    """Return what a member waits for, one line a trade."""
    return waiting_in(trades.running_of(account_id), account_id, now)


def _steps_in(found: Sequence[Trade], account_id: int, now: datetime) -> list[Task]:
    return [
        Task(trade.id, step)
        for trade in found
        for step in next_step.own_steps(trades.facts_of(trade, account_id, now))
    ]


def waiting_in(found: Sequence[Trade], account_id: int, now: datetime) -> list[Open]:
    """Return what is awaited in those of the trades that ask nothing of a member."""
    steps = ((trade, trades.step_of(trade, account_id, now)) for trade in found)
    return in_order(
        Task(trade.id, step)
        for trade, step in steps
        if step.who is not next_step.Who.YOU
    )


def errands(account_id: int, now: datetime) -> list[Errand]:
    """Return what awaits a member beside the steps of running trades."""
    rows = db.session.execute(_errands(), {"account_id": account_id}).all()
    found = [Errand(Duty(code), number, due) for code, number, due in rows]
    found += [
        Errand(Duty.GIVE_FEEDBACK, trade.id, write_until(trade.ended_at))
        for trade in feedback.open_for(account_id, now)
        if trade.ended_at is not None
    ]
    return found


def named_in(found: Iterable[Open]) -> dict[int, Trade]:
    """Return the ended trades that errands are about, with all that a list names."""
    ids = [one.number for one in found if one.code == Duty.GIVE_FEEDBACK]
    if not ids:
        return {}
    whole = (
        joinedload(Trade.poster),
        joinedload(Trade.proposer),
        selectinload(Trade.listing).selectinload(Listing.photos),
    )
    ended = select(Trade).options(*whole).where(Trade.id.in_(ids))
    return {trade.id: trade for trade in db.session.scalars(ended)}


def _questions() -> Select:
    """Select what moderators asked about entries that still stand."""
    return (
        _row(Duty.ANSWER_MODERATOR, Entry.id, func.min(EvidenceRequest.due_at))
        .join_from(EvidenceRequest, Entry, Entry.id == EvidenceRequest.entry_id)
        .where(
            EvidenceRequest.to_id == _MEMBER,
            EvidenceRequest.answered_at.is_(None),
            one_of(Entry.state, STANDING_STATES),
        )
        .group_by(Entry.id)
    )


def _warnings() -> Select:
    """Select the warnings that a member has not seen."""
    return _row(Duty.READ_WARNING, MemberWarning.id).where(
        MemberWarning.account_id == _MEMBER, MemberWarning.seen_at.is_(None)
    )


def _terms() -> Select:
    """Select the newest terms, if a member has agreed to older ones alone."""
    newest = select(func.max(TermsVersion.number)).scalar_subquery()
    agreed = func.max(Agreement.number)
    return (
        _row(Duty.AGREE_TERMS, newest)
        .select_from(Agreement)
        .where(Agreement.account_id == _MEMBER)
        .group_by(Agreement.account_id)
        .having(agreed < newest)
    )


def _unconfirmed() -> Select:
    """Select a member whose own address has not been confirmed."""
    return _row(Duty.CONFIRM_EMAIL, Account.id).where(
        Account.id == _MEMBER, Account.email_confirmed_at.is_(None)
    )


def _row(code: Duty, number, due=None) -> Select:
    """Select one errand in the shape that all of them share."""
    return select(*_columns(code.value, number, due))


def _columns(code: str, number, due=None) -> tuple[ColumnElement[Any], ...]:
    limit = cast(null(), UtcDateTime()) if due is None else due
    return (
        literal(code).label("code"),
        cast(number, Integer).label("number"),
        limit.label("due"),
    )


# Asked on every page, hence put together once.
_MEMBER = bindparam("account_id", type_=Integer)
_NOTICES = "notices"


def _beside_feedback() -> list[Select]:
    """Return what selects every duty but feedback, which has queries of its own."""
    return [_questions(), _warnings(), _terms(), _unconfirmed()]


@cache
def _errands() -> CompoundSelect:
    return union_all(*_beside_feedback())


@cache
def _counted() -> Select:
    """Select all errands, and beside them the number of unread notices."""
    unread = notifications.UNREAD.scalar_subquery()
    found = union_all(
        *_beside_feedback(),
        feedback.open_trades(*_columns(Duty.GIVE_FEEDBACK.value, Trade.id)),
        select(*_columns(_NOTICES, unread)),
    ).subquery()
    return select(found.c.code, found.c.number)
