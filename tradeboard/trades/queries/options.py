"""Read what one of the two may still do about a trade, so that no button is dead."""

from datetime import datetime

from tradeboard.core.records import dataclass
from tradeboard.core.states import may
from tradeboard.trades.models import Leg, Proposal, Trade
from tradeboard.trades.queries.contents import due_of, missing, open_proposal
from tradeboard.trades.rules import clock, states
from tradeboard.trades.rules.states import (
    Condition,
    LegState,
    ProposalKind,
    TradeState,
)


@dataclass(frozen=True)
class Options:
    """What may be done now; instants say until when, or from when."""

    out: Leg | None = None
    back: Leg | None = None
    contest: bool = False
    contest_from: datetime | None = None
    withhold: bool = False
    kinds: tuple[ProposalKind, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    undo_dispatch: bool = False
    undo_receipt: bool = False
    undo_mark: bool = False
    solve: bool = False

    def any_undo(self) -> bool:
        """Tell whether a slip can still be undone."""
        return self.undo_dispatch or self.undo_receipt or self.undo_mark


def options_of(trade: Trade, account_id: int, now: datetime) -> Options:
    """Return what one of the two may do now; nothing once the due instant is over."""
    out = _leg(trade, account_id, sends=True)
    back = _leg(trade, account_id, sends=False)
    over = clock.is_over(trade.due_at or trade.call_by or trade.dispatch_by, now)
    if out is None or back is None or over or trade.state not in states.RUNNING:
        return Options(out, back)
    solve = back.condition is Condition.DIFFERS and back.solved_at is None
    undo = _may_undo(trade, out, back, now)
    running = trade.state is TradeState.SHIPPED and trade.due_at is not None
    return Options(
        out=out,
        back=back,
        contest=running and _may_contest(out, now),
        contest_from=_contest_from(out, now) if running else None,
        withhold=running and _may_withhold(out, back),
        kinds=tuple(kind for kind in ProposalKind if _may_propose(trade, kind)),
        proposals=tuple(p for p in trade.proposals if p.answered_at is None),
        undo_dispatch=undo[0] and running,
        undo_receipt=undo[1],
        undo_mark=undo[2] and running,
        solve=solve,
    )


def _leg(trade: Trade, account_id: int, *, sends: bool) -> Leg | None:
    found = [leg for leg in trade.legs if (leg.sender_id == account_id) is sends]
    return found[0] if found else None


def _is_uncontested(leg: Leg) -> bool:
    return leg.state is LegState.DISPATCHED and leg.contested_at is None


def _may_contest(leg: Leg, now: datetime) -> bool:
    if not _is_uncontested(leg) or leg.dispatched_at is None:
        return False
    return now >= clock.may_contest_from(leg.dispatched_at)


def _contest_from(leg: Leg, now: datetime) -> datetime | None:
    """Return when a delivery can be claimed, if that is still to come."""
    if not _is_uncontested(leg) or leg.dispatched_at is None:
        return None
    begins = clock.may_contest_from(leg.dispatched_at)
    return begins if now < begins else None


def _may_withhold(out: Leg, back: Leg) -> bool:
    waits = out.state is LegState.NOT_SENT and out.withheld_at is None
    return waits and back.state is LegState.DISPATCHED


def _may_propose(trade: Trade, kind: ProposalKind) -> bool:
    if not may(states.TRADE, trade.state, f"propose {kind}"):
        return False
    if kind is ProposalKind.EXTEND:
        if trade.due_at is None or trade.extensions >= clock.MOST_EXTENSIONS:
            return False
        if not missing(trade):
            return False
    return open_proposal(trade, kind) is None


def _may_undo(trade, out: Leg, back: Leg, now: datetime) -> tuple[bool, bool, bool]:
    sent = out.state is LegState.DISPATCHED and out.contested_at is None
    came = back.state is LegState.RECEIVED and back.solved_at is None
    marked = out.contested_at or out.withheld_at
    return (
        sent and _is_fresh(out.dispatched_at, back, now),
        came
        and _is_fresh(back.received_at, out, now)
        and clock.may_undo_receipt(back.received_at, due_of(trade), now),
        out.state is not LegState.RECEIVED
        and marked is not None
        and clock.may_undo(marked, now),
    )


def _is_fresh(acted_at: datetime | None, other: Leg, now: datetime) -> bool:
    if acted_at is None or not clock.may_undo(acted_at, now):
        return False
    acts = (other.dispatched_at, other.withheld_at, other.contested_at)
    return not any(act is not None and act > acted_at for act in acts)
