"""Pages of the board; a module per subject."""

from tradeboard.listings.views import (
    board,
    confirming,
    draft_page,
    drafts,
    feeds,
    own,
    photos,
    searches,
)
from tradeboard.listings.views.blueprint import bp, init_app

__all__ = [
    "board",
    "bp",
    "confirming",
    "draft_page",
    "drafts",
    "feeds",
    "init_app",
    "own",
    "photos",
    "searches",
]
