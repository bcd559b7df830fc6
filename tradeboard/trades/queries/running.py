"""What every page counts of a member's running trades: columns, one statement."""

from collections import namedtuple
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Integer, and_, bindparam, or_, select
from sqlalchemy.orm import aliased

from tradeboard.core import prepared
from tradeboard.core.db import one_of
from tradeboard.trades.models import Leg, PhoneSide, Proposal, Trade
from tradeboard.trades.rules.next_step import Asked, Facts, Parcel
from tradeboard.trades.rules.states import RUNNING, Condition, LegState, Party

_MEMBER = bindparam("account_id", type_=Integer)
_OUT, _BACK = aliased(Leg), aliased(Leg)
_MINE, _THEIRS = aliased(PhoneSide), aliased(PhoneSide)

_RUNNING = (
    select(
        Trade.id,
        Trade.state,
        Trade.turn,
        Trade.poster_id,
        Trade.answer_by,
        Trade.call_by,
        Trade.dispatch_by,
        Trade.due_at,
        Trade.call_closed_at,
        _MINE.sealed_at.label("sealed_at"),
        _MINE.words_right_at.label("words_right_at"),
        _THEIRS.sealed_at.label("partner_sealed_at"),
        _OUT.state.label("out"),
        _OUT.withheld_at.label("out_withheld_at"),
        _OUT.condition.label("out_condition"),
        _OUT.solved_at.label("out_solved_at"),
        _BACK.state.label("back"),
        _BACK.withheld_at.label("back_withheld_at"),
        _BACK.condition.label("back_condition"),
        _BACK.solved_at.label("back_solved_at"),
        Proposal.kind,
        Proposal.silent_until,
    )
    .outerjoin(_MINE, and_(_MINE.trade_id == Trade.id, _MINE.account_id == _MEMBER))
    .outerjoin(
        _THEIRS, and_(_THEIRS.trade_id == Trade.id, _THEIRS.account_id != _MEMBER)
    )
    .outerjoin(_OUT, and_(_OUT.trade_id == Trade.id, _OUT.sender_id == _MEMBER))
    .outerjoin(_BACK, and_(_BACK.trade_id == Trade.id, _BACK.sender_id != _MEMBER))
    .outerjoin(
        Proposal,
        and_(
            Proposal.trade_id == Trade.id,
            Proposal.answered_at.is_(None),
            Proposal.by_id != _MEMBER,
        ),
    )
    .where(or_(Trade.poster_id == _MEMBER, Trade.proposer_id == _MEMBER))
    .where(one_of(Trade.state, RUNNING))
    .order_by(Trade.id, Proposal.id)
)


_Row = namedtuple("_Row", _RUNNING.selected_columns.keys())  # type: ignore[misc]  # named by the statement


def running_facts(account_id: int, now: datetime) -> list[Facts]:
    """Return a member's running trades for the rule of the next step."""
    found = prepared.alone(_RUNNING, {"account_id": account_id})
    rows = (_Row(*row) for row in found)
    return [
        _facts(list(its), account_id, now) for _, its in groupby(rows, itemgetter(0))
    ]


def _facts(rows: list, account_id: int, now: datetime) -> Facts:
    row = rows[0]
    side = Party.POSTER if row.poster_id == account_id else Party.PROPOSER
    return Facts(
        state=row.state,
        now=now,
        my_turn=row.turn is side,
        answer_by=row.answer_by,
        call_by=row.call_by,
        dispatch_by=row.dispatch_by,
        due_at=row.due_at,
        sealed=row.sealed_at is not None,
        partner_sealed=row.partner_sealed_at is not None,
        words_right=row.words_right_at is not None,
        call_closed=row.call_closed_at is not None,
        out=_parcel(row.out, row.out_withheld_at, row.out_condition, row.out_solved_at),
        back=_parcel(
            row.back, row.back_withheld_at, row.back_condition, row.back_solved_at
        ),
        asked=tuple(Asked(r.kind, r.silent_until) for r in rows if r.kind is not None),
    )


def _parcel(
    state: LegState | None,
    withheld_at: datetime | None,
    condition: Condition | None,
    solved_at: datetime | None,
) -> Parcel:
    if state is None:
        return Parcel()
    differs = condition is Condition.DIFFERS and solved_at is None
    return Parcel(state, withheld_at is not None, differs)
