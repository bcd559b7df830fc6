"""Pages of the board; a module per subject."""

from tradeboard.listings.views import board, confirming, drafts, own, photos
from tradeboard.listings.views.blueprint import bp, init_app

__all__ = ["board", "bp", "confirming", "drafts", "init_app", "own", "photos"]
