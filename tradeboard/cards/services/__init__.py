"""What members and time do to the lists; a module per subject."""

from tradeboard.cards.services.lists import add, change, import_cards, remove, undo
from tradeboard.cards.services.showing import show_cards
from tradeboard.cards.services.telling import tell_matches

__all__ = [
    "add",
    "change",
    "import_cards",
    "remove",
    "show_cards",
    "tell_matches",
    "undo",
]
