"""Pages of trades, a module per stage."""

from tradeboard.trades.views import (
    call,
    marks,
    negotiation,
    proofs,
    proposals,
    reveals,
    room,
    shipping,
)
from tradeboard.trades.views.blueprint import bp

__all__ = [
    "bp",
    "call",
    "marks",
    "negotiation",
    "proofs",
    "proposals",
    "reveals",
    "room",
    "shipping",
]
