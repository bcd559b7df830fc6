"""Read the board; a module per subject."""

from tradeboard.listings.queries.board import (
    Filters,
    Tile,
    board_page,
    count_board,
    count_posted_since,
    games,
    tiles_of_owner,
)
from tradeboard.listings.queries.due import ending_ids, expired_ids
from tradeboard.listings.queries.locking import (
    lock,
    lock_own,
    lock_with_lines,
    read_anew,
)
from tradeboard.listings.queries.one import (
    awaiting_of,
    find_listing,
    get_changeable,
    get_draft,
    get_listing,
    get_own,
    get_photo,
    get_visible,
    is_visible,
    mine,
    open_listing,
    owner_may_deal,
    title_of,
    wishes_of,
)
from tradeboard.listings.queries.totals import (
    count_drafts,
    count_photos,
    count_posted,
    named_photos,
)

__all__ = [
    "Filters",
    "Tile",
    "awaiting_of",
    "board_page",
    "count_board",
    "count_drafts",
    "count_photos",
    "count_posted",
    "count_posted_since",
    "ending_ids",
    "expired_ids",
    "find_listing",
    "games",
    "get_changeable",
    "get_draft",
    "get_listing",
    "get_own",
    "get_photo",
    "get_visible",
    "is_visible",
    "lock",
    "lock_own",
    "lock_with_lines",
    "mine",
    "named_photos",
    "open_listing",
    "owner_may_deal",
    "read_anew",
    "tiles_of_owner",
    "title_of",
    "wishes_of",
]
