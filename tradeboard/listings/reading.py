"""Read a draft without its form, which costs more than all else about posting.

The form says what is wrong with a draft, this only whether anything is: both say the
same of every draft.
"""

from collections.abc import Container, Mapping
from typing import Any

from tradeboard.listings.rules import LineData, ListingData, states, wording
from tradeboard.web.fields import one_line, same_ends, single_spaces
from tradeboard.web.readable import whole

# What the fields of a card say that was kept without them.
HAVE = {"condition": "A", "quantity": "1"}
WANT = {"condition": "", "quantity": "1"}
LANGUAGES = frozenset({"", *wording.LANGUAGES})
COPIES = range(1, states.MOST_COPIES + 1)


def read(draft: Mapping[str, Any]) -> ListingData | None:
    """Return what a draft says, or None if its form has mistakes to show."""
    have = _lines(draft.get("have", []), HAVE, wording.CONDITIONS)
    want = _lines(draft.get("want", []), WANT, wording.LEAST_CONDITIONS)
    game, note = single_spaces(draft.get("game")), same_ends(draft.get("note"))
    ships_from, ships_to = draft.get("ships_from", ""), draft.get("ships_to", "")
    right = (
        len(game) <= states.LONGEST_CODE
        and len(note) <= states.LONGEST_NOTE
        and ships_from in wording.PLACES
        and ships_to in wording.REACH
    )
    if not (have and want and right):
        return None
    return ListingData(
        have=have,
        want=want,
        game=one_line(game),
        note=note,
        ships_from=ships_from,
        ships_to=ships_to,
    )


def _lines(
    rows: list[dict[str, str]], missing: dict[str, str], conditions: Container[str]
) -> tuple[LineData, ...]:
    """Return the cards that were written; none if one of them has a mistake."""
    found = []
    for row in rows[: states.MOST_LINES]:
        typed = [single_spaces(row.get(key)) for key in ("name", "set_code", "rarity")]
        if not any(map(one_line, typed)):
            continue
        line = _line(typed, {**missing, **row}, conditions)
        if line is None:
            return ()
        found.append(line)
    return tuple(found)


def _line(
    typed: list[str], row: dict[str, str], conditions: Container[str]
) -> LineData | None:
    name, set_code, rarity = typed
    language, condition = row.get("language", ""), row["condition"]
    quantity = whole(one_line(row["quantity"]))
    right = (
        len(name) <= states.LONGEST_NAME
        and max(len(set_code), len(rarity)) <= states.LONGEST_CODE
        and language in LANGUAGES
        and condition in conditions
        and quantity in COPIES
    )
    if quantity is None or not (right and one_line(name)):
        return None
    return LineData(
        id=whole(row.get("id")),
        name=one_line(name),
        set_code=one_line(set_code),
        rarity=one_line(rarity),
        language=language,
        condition=condition,
        quantity=quantity,
    )
