"""How a handle reads: two handles with one skeleton are the same to the eye."""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from tradeboard.accounts.rules import datafiles
from tradeboard.accounts.rules.scripts import CYRILLIC, GREEK, KANA, LATIN, script_of

DASHES = "-~‐‒–—―−〜"
DECORATION = " _.'’·・☆★♪♡♥"
NO_SELECTORS = {0xFE0E: None, 0xFE0F: None}

# Rules feed each other at most a few times; then nothing changes any more.
_ROUNDS = 8
_MOST_MARKS = 8
_ONE = "一"
_LONG = "ー"
_VOICING = "\u3099\u309a"


def skeleton(text: str) -> str:
    """Return how the text reads, without width, case, accents and decoration."""
    seen = _with_few_marks(text.translate(NO_SELECTORS))
    for _ in range(_ROUNDS):
        before, seen = seen, _read_once(seen)
        if seen == before:
            break
    return seen


def _with_few_marks(text: str) -> str:
    """Cut endless runs of marks: sorting them would take time in the square."""
    if text.isascii():
        return text
    kept = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def _read_once(text: str) -> str:
    return _plain_once(text) or _any_once(text)


def _plain_once(text: str) -> str:
    """Read what has no letter beyond ASCII, which takes less; nothing for the rest."""
    if not text.isascii():
        return ""
    text = text.lower().translate(_lookalikes())
    if not text.isascii():
        return ""
    text = text.replace("-", "").replace("~", "")
    return text.replace("rn", "m").replace("vv", "w")


def _any_once(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    text = unicodedata.normalize("NFKC", text)
    text = _without_accents(unicodedata.normalize("NFD", text))
    text = unicodedata.normalize("NFC", text.translate(_full_hiragana()))
    text = text.translate(_lookalikes())
    text = re.sub(f"{_LONG}+", _LONG, _with_long_vowels(text))
    text = unicodedata.normalize("NFC", text)
    return text.replace("rn", "m").replace("vv", "w")


def _without_accents(decomposed: str) -> str:
    kept = []
    droppable = False
    for character in decomposed:
        if unicodedata.category(character).startswith("M"):
            if droppable:
                continue
        else:
            droppable = script_of(character) in (LATIN, GREEK, CYRILLIC)
        kept.append(character)
    return "".join(kept)


def _with_long_vowels(text: str) -> str:
    """Read a dash or 一 after kana as the long-vowel mark; drop other dashes."""
    kept: list[str] = []
    for character, following in pairwise(text + "\0"):
        if character in DASHES or character == _ONE:
            if kept and _is_kana(kept[-1]) and not _is_plain(following):
                kept.append(_LONG)
            elif character == _ONE:
                kept.append(character)
        else:
            kept.append(character)
    return "".join(kept)


def _is_kana(character: str) -> bool:
    return script_of(character) == KANA or character in _VOICING


def _is_plain(character: str) -> bool:
    return "a" <= character <= "z" or "0" <= character <= "9"


@lru_cache(maxsize=1)
def _full_hiragana() -> dict[int, str]:
    """Return katakana to hiragana and small kana to full size, by their names."""
    table = {}
    for code in (
        *range(0x3041, 0x3100),
        *range(0x31F0, 0x3200),
        *range(0x1B132, 0x1B168),
    ):
        name = unicodedata.name(chr(code), "").replace("KATAKANA", "HIRAGANA", 1)
        try:
            full = unicodedata.lookup(name.replace("LETTER SMALL ", "LETTER "))
        except KeyError:
            continue
        table[code] = full
    return table


@lru_cache(maxsize=1)
def _lookalikes() -> dict[int, str]:
    pairs = (line.split("\t") for line in datafiles.lines("lookalikes"))
    read_as = {ord(one): other for one, other in pairs}
    return dict.fromkeys(map(ord, DECORATION), "") | read_as


datafiles.forget_with(_lookalikes.cache_clear)
