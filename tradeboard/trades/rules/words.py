"""Spoken words: two of 512 on each side prove that a call connected the two."""

import hmac
import re
from functools import lru_cache
from pathlib import Path

from tradeboard.accounts.rules import datafiles
from tradeboard.core.folding import fold

HOW_MANY = 512
BITS = 9
TRIES_PER_ROUND = 5
ROUNDS = 3

_SHAPES = {"ja": re.compile(r"[ぁ-ん]{3,8}"), "en": re.compile(r"[a-z]{4,8}")}
_FILES = Path(__file__).parent / "data"
_BETWEEN_WORDS = re.compile(r"[ ,、・]+")
_MAC_BYTES_USED = 3


@lru_cache(maxsize=len(_SHAPES))
def word_list(language: str) -> tuple[str, ...]:
    """Return the 512 words of a language; a file with any other number is refused."""
    path = _FILES / f"words_{language}.txt"
    words = tuple(datafiles.read(path, _SHAPES[language]))
    if len(words) != HOW_MANY:
        raise datafiles.BadDataFile(f"{path}: {len(words)} words, not {HOW_MANY}")
    return words


def word_pair(mac: bytes, language: str) -> tuple[str, str]:
    """Return the two words that the first 18 bits of a keyed hash stand for."""
    if len(mac) < _MAC_BYTES_USED:
        raise ValueError("A MAC of at least three bytes is needed.")
    bits = int.from_bytes(mac[:_MAC_BYTES_USED], "big") >> (
        8 * _MAC_BYTES_USED - 2 * BITS
    )
    words = word_list(language)
    return words[bits >> BITS], words[bits & (HOW_MANY - 1)]


def fold_words(text: str) -> str:
    """Return what was heard, in one spelling: width, case, kana, one space between."""
    return " ".join(part for part in _BETWEEN_WORDS.split(fold(text)) if part)


def same_words(typed: str, pair: tuple[str, str]) -> bool:
    """Tell whether both words were typed, in their order; it takes the same time."""
    expected = fold_words(" ".join(pair)).encode()
    return hmac.compare_digest(fold_words(typed).encode("utf-8", "replace"), expected)
