"""What a listing is found by: pieces of its text, and marks of what its filters ask.

A piece is one sign or two neighbouring ones of what is searched, so that one and two
signs find as well as twenty. A mark has at least three signs, so it is no piece.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product

from tradeboard.core import folding

LONGEST_MARK = 64
# A longer query asks for the first pieces; what they let through is compared in full.
MOST_PIECES = 16
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def pieces(key: str) -> set[str]:
    """Return all signs and pairs of signs of a key, word by word."""
    found: set[str] = set()
    for word in key.split():
        found.update(word)
        found.update(_pairs(word))
    return found


def pieces_of_term(term: str) -> list[str]:
    """Return the pieces that a text must have to have this term in it."""
    if len(term) <= 2:
        return [term]
    return list(dict.fromkeys(_pairs(term)))[:MOST_PIECES]


def is_exact(term: str) -> bool:
    """Tell whether to have the pieces of a term means to have the term."""
    return len(term) <= 2


def mark_of_game(game: str) -> str:
    """Return the mark of a game, however it is written."""
    return f"game={folding.key(game)[:LONGEST_MARK]}"


def mark_of_reach(reach: str) -> str:
    """Return the mark of how far somebody ships."""
    return f"ship={reach}"


def mark_of_card(condition: str = "", language: str = "", rarity: str = "") -> str:
    """Return the mark of an offered card; what is empty may be anything."""
    return f"={condition}/{language}/{folding.key(rarity)[:LONGEST_MARK]}"


def marks_of_card(condition: str, language: str, rarity: str) -> set[str]:
    """Return every mark by which a card is asked for."""
    ways = product({"", condition}, {"", language}, {"", rarity})
    return {mark_of_card(*way) for way in ways if any(way)}


def marks(
    game: str, ships_to: str, offered: Iterable[tuple[str, str, str]]
) -> set[str]:
    """Return the marks of a listing: its game, its reach, each card that it offers."""
    found = {mark_of_reach(ships_to)} if ships_to else set()
    if game:
        found.add(mark_of_game(game))
    for card in offered:
        found |= marks_of_card(*card)
    return found


def place(posted_at: datetime | None) -> int:
    """Return the place on the board of what was posted then; 0 for what waits."""
    return 0 if posted_at is None else (posted_at - EPOCH) // timedelta(microseconds=1)


def posted_at(place: int) -> datetime:
    """Return when something was posted that stands in that place."""
    return EPOCH + timedelta(microseconds=place)


def digest(texts: Iterable[str]) -> str:
    """Return what is the same for listings that say the same, width and case apart."""
    said = "\n".join(folding.key(text) for text in texts)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _pairs(word: str) -> Iterator[str]:
    return (one + other for one, other in pairwise(word))
