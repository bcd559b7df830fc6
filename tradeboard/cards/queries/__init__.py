"""What stands on the members' lists, and what matches; a module per subject."""

from tradeboard.cards.queries.due import due_for_news, find_news
from tradeboard.cards.queries.explaining import Passing, passing
from tradeboard.cards.queries.lists import (
    cards_page,
    counts,
    get_own,
    keys_of,
    known_names,
    line_of,
    lines_of_both,
    lock,
    whole_list,
)
from tradeboard.cards.queries.matching import chains, is_shown, may_match, partners

__all__ = [
    "Passing",
    "cards_page",
    "chains",
    "counts",
    "due_for_news",
    "find_news",
    "get_own",
    "is_shown",
    "keys_of",
    "known_names",
    "line_of",
    "lines_of_both",
    "lock",
    "may_match",
    "partners",
    "passing",
    "whole_list",
]
