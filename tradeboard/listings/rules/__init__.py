"""What a listing may become, say and hold; pure, a module per subject."""

from tradeboard.listings.rules.contents import LineData, ListingData
from tradeboard.listings.rules.states import (
    LISTING,
    ON_THE_BOARD,
    PUBLIC,
    Condition,
    ListingState,
    Side,
    after_restoring,
    expires_at,
)

__all__ = [
    "LISTING",
    "ON_THE_BOARD",
    "PUBLIC",
    "Condition",
    "LineData",
    "ListingData",
    "ListingState",
    "Side",
    "after_restoring",
    "expires_at",
]
