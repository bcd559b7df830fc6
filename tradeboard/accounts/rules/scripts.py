"""Which script a character belongs to, read from its Unicode name."""

import unicodedata
from functools import lru_cache

LATIN = "Latin"
GREEK = "Greek"
CYRILLIC = "Cyrillic"
KANA = "Kana"
HAN = "Han"
HANGUL = "Hangul"
BOPOMOFO = "Bopomofo"
THAI = "Thai"

_BY_FIRST_WORD = {
    "LATIN": LATIN,
    "GREEK": GREEK,
    "CYRILLIC": CYRILLIC,
    "HIRAGANA": KANA,
    "KATAKANA": KANA,
    "HENTAIGANA": KANA,
    "CJK": HAN,
    "IDEOGRAPHIC": HAN,
    "HANGUL": HANGUL,
    "BOPOMOFO": BOPOMOFO,
    "THAI": THAI,
    "EXTENDED": "ARABIC",
}
# These are shared by several scripts and say nothing about any.
_SHARED = {"COMBINING", "DIGIT", "MODIFIER", "MASU", "VEDIC", ""}
_VERTICAL = dict.fromkeys("\u3031\u3032\u3033\u3034\u3035", KANA) | {"\u303b": HAN}


@lru_cache(maxsize=4096)
def script_of(character: str) -> str | None:
    """Return the script of a letter, mark or digit, None for what has none."""
    if unicodedata.category(character)[0] not in "LMN":
        return None
    if character in _VERTICAL:
        return _VERTICAL[character]
    name = unicodedata.name(character, "")
    first = name.partition(" ")[0].partition("-")[0]
    return None if first in _SHARED else _BY_FIRST_WORD.get(first, first)
