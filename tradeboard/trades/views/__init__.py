"""Pages of trades, a module per stage."""

from tradeboard.trades.views import (
    call,
    keeping,
    marks,
    negotiation,
    proofs,
    proposals,
    reveals,
    room,
    shipping,
    talk,
)
from tradeboard.trades.views.blueprint import bp

__all__ = [
    "bp",
    "call",
    "keeping",
    "marks",
    "negotiation",
    "proofs",
    "proposals",
    "reveals",
    "room",
    "shipping",
    "talk",
]
