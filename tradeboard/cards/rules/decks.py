"""Decks as `.ydk` files: numbers of cards alone."""

import re
from collections.abc import Mapping

from tradeboard.cards.rules import lines
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.reading import Read, Reading
from tradeboard.core.messages import message

FORM = "ydk"
_NUMBER = re.compile(r"\d{1,10}")
_MARK = re.compile(r"#main|#extra|!side", re.IGNORECASE)
NO_NUMBER = message("カードの番号ではありません。")


def code_of(number: str) -> str:
    """Return what stands for a number of a deck: its set code, and its name at first.

    >>> code_of("102380")
    'YDK 00102380'
    """
    return f"YDK {int(number):08}"


def looks_like_one(text: str) -> bool:
    """Tell whether it has the marks of a deck file, or nothing but numbers."""
    written = [line.strip() for line in text.splitlines() if line.strip()]
    if any(_MARK.fullmatch(line) for line in written):
        return True
    return bool(written) and all(
        len(line) >= 5 and _NUMBER.fullmatch(line) for line in written
    )


def codes_in(text: str) -> set[str]:
    """Return the codes of all cards of a deck."""
    numbers = (lines.tidy(line) for line in text.splitlines())
    return {code_of(n) for n in numbers if n.isascii() and _NUMBER.fullmatch(n)}


def read(text: str, known: Mapping[str, str]) -> Reading:
    """Read a deck; `known` says which name belongs to a code."""
    found = []
    for number, typed in enumerate(text.splitlines(), start=1):
        line = lines.tidy(typed)
        if line:
            found.append(_read(number, typed, line, known))
    return Reading(FORM, found)


def _read(number: int, typed: str, line: str, known: Mapping[str, str]) -> Read:
    if line.startswith(("#", "!", "//")):
        return Read(number, typed)
    if not (line.isascii() and _NUMBER.fullmatch(line)):
        return Read(number, typed, problem=NO_NUMBER)
    code = code_of(line)
    return Read(number, typed, CardLine(known.get(code, code), set_code=code))
