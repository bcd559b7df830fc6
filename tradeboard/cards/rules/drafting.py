"""A listing's draft out of lists, as its form would keep it."""

from collections.abc import Sequence
from typing import Any

from tradeboard.cards.rules.lines import CardLine

# As many as one listing can have.
MOST_LINES = 20
MOST_COPIES = 99


def draft_of(
    have: Sequence[CardLine], want: Sequence[CardLine], place: str
) -> dict[str, Any]:
    """Return the fields of a listing that offers some cards for others."""
    games = {card.game for card in (*have, *want) if card.game}
    return {
        "have": [_row(card) for card in have[:MOST_LINES]],
        "want": [_row(card) for card in want[:MOST_LINES]],
        "game": games.pop() if len(games) == 1 else "",
        "ships_from": place,
        "ships_to": "domestic",
        "note": "",
    }


def _row(card: CardLine) -> dict[str, str]:
    return {
        "id": "",
        "name": card.name,
        "set_code": card.set_code,
        "rarity": card.rarity,
        "language": card.language,
        "condition": card.condition,
        "quantity": str(min(card.quantity, MOST_COPIES)),
    }
