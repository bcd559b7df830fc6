"""Read what a trade that is already at hand holds."""

from datetime import date, datetime

from tradeboard.core.japan import JAPAN
from tradeboard.trades.models import Leg, OfferVersion, PhoneSide, Proposal, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.offers import Item
from tradeboard.trades.rules.states import Condition, LegState, Party, ProposalKind


def newest_offer(trade: Trade) -> OfferVersion:
    """Return the version that can be accepted, or was."""
    return trade.offers[-1]


def items_of(offer: OfferVersion) -> list[Item]:
    """Return an offer's lines as values, for comparing."""
    return [
        Item(
            giver=line.giver,
            name=line.name,
            quantity=line.quantity,
            line_id=line.line_id,
            set_code=line.set_code,
            condition=line.condition,
            language=line.language,
        )
        for line in offer.lines
    ]


def promised(trade: Trade, giver: Party) -> dict[int, int]:
    """Return how many copies of which listing lines a side gives."""
    copies: dict[int, int] = {}
    for line in newest_offer(trade).lines:
        if line.giver is giver and line.line_id is not None:
            copies[line.line_id] = copies.get(line.line_id, 0) + line.quantity
    return copies


def missing(trade: Trade) -> list[Leg]:
    """Return the parcels whose receipt has not been confirmed."""
    return [leg for leg in trade.legs if leg.state is not LegState.RECEIVED]


def unsolved(trade: Trade) -> list[Leg]:
    """Return the parcels that came but were not as agreed, and still are not solved."""
    return [
        leg
        for leg in trade.legs
        if leg.condition is Condition.DIFFERS and leg.solved_at is None
    ]


def due_of(trade: Trade) -> datetime | None:
    """Return the due instant, also while a difference has stopped the clock."""
    if trade.due_at is None and trade.first_dispatched_at is not None:
        return clock.due_at(trade.first_dispatched_at, trade.extensions)
    return trade.due_at


def open_proposal(trade: Trade, kind: ProposalKind) -> Proposal | None:
    """Return the proposal of this kind that waits for an answer."""
    return next(
        (p for p in trade.proposals if p.kind is kind and p.answered_at is None), None
    )


def phone_cell(side: PhoneSide) -> str:
    """Name the cell that a side's number and address are sealed for."""
    return f"phone_side:{side.trade_id}:{side.account_id}"


def day_in_japan(instant: datetime) -> date:
    """Return the calendar day in Japan, which people mean by a day."""
    return instant.astimezone(JAPAN).date()
