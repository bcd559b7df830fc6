"""Pages of the lists of cards and of matches; a module per subject."""

from tradeboard.cards.views import (  # noqa: F401 (their pages)
    lists,
    matches,
    pasting,
    shown,
)
from tradeboard.cards.views.blueprint import bp, init_app

__all__ = ["bp", "init_app"]
