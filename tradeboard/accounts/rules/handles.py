"""Which handles are allowed; what they read like is in `skeletons`."""

import re
import unicodedata
from functools import lru_cache

from tradeboard.accounts.rules import datafiles, scripts
from tradeboard.accounts.rules.scripts import script_of
from tradeboard.accounts.rules.skeletons import (
    DASHES,
    DECORATION,
    NO_SELECTORS,
    skeleton,
)
from tradeboard.accounts.rules.verdicts import Verdict
from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass

__all__ = ["HandleVerdict", "check_handle", "skeleton", "tidied"]

SHORTEST = 2
LONGEST = 20
MOST_MARKS = 2

_BLANKS = " \t\u3000"
_TIDY = NO_SELECTORS | {0x3000: " "}
# No character composes from more than four, so this cannot become short enough.
_SURELY_TOO_LONG = 8 * LONGEST

_SYMBOLS = frozenset(DASHES + DECORATION)
_DIGITS = frozenset("0123456789〇")
_SUPPORTED = frozenset(
    {
        scripts.LATIN,
        scripts.GREEK,
        scripts.CYRILLIC,
        scripts.KANA,
        scripts.HAN,
        scripts.HANGUL,
        scripts.BOPOMOFO,
        scripts.THAI,
    }
)
_NEVER_TOGETHER = frozenset({scripts.LATIN, scripts.GREEK, scripts.CYRILLIC})
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Zs"})
_INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10)]))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
_DEVICE_CODE = re.compile("D[-‐‒–—―−][0-9A-TV-Z]{4}[-‐‒–—―−][0-9A-TV-Z]{4}")


@dataclass(frozen=True)
class HandleVerdict:
    """The answer: `shown` is the handle itself, `skeleton` is what must be unique."""

    verdict: Verdict
    code: str
    shown: str
    skeleton: str | None
    message: Message | None


def check_handle(typed: str) -> HandleVerdict:
    """Say whether this can be a handle; the first failure answers."""
    shown = tidied(typed)
    if any(map(_is_invisible, shown)):
        return _refuse("chars.invisible", shown, _INVISIBLE_CHARACTER)
    if not SHORTEST <= len(shown) <= LONGEST:
        return _refuse("length", shown, _LENGTH)
    return _wrong_characters(shown) or _wrong_name(shown)


def tidied(typed: str) -> str:
    """Return the handle as it is shown: no outer blanks, single spaces, NFC."""
    text = typed.strip(_BLANKS).translate(_TIDY)
    text = re.sub(" {2,}", " ", text).strip(" ")
    if len(text) > _SURELY_TOO_LONG:
        return text
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=4096)
def _is_invisible(character: str) -> bool:
    both = character + unicodedata.normalize("NFKC", character)
    return any(
        one in _INVISIBLE
        or (one != " " and unicodedata.category(one) in _INVISIBLE_CATEGORIES)
        for one in both
    )


def _wrong_characters(shown: str) -> HandleVerdict | None:
    plain = unicodedata.normalize("NFKC", shown)
    if symbol := _first_symbol(plain):
        return _refuse("chars.symbol", shown, _symbol(symbol))
    letters = [letter for letter in plain if _is_letter(letter)]
    found = {script_of(letter) for letter in letters}
    if found - _SUPPORTED:
        return _refuse("script.unsupported", shown, _UNSUPPORTED)
    if len(found & _NEVER_TOGETHER) > 1:
        return _refuse("script.mixed", shown, _MIXED)
    if not letters:
        return _refuse("needs_letter", shown, _NEEDS_LETTER)
    return None


def _first_symbol(plain: str) -> str | None:
    marks_left = 0
    for character in plain:
        if _is_letter(character):
            marks_left = MOST_MARKS
        elif character in _DIGITS or character in _SYMBOLS:
            marks_left = 0
        elif marks_left and unicodedata.category(character).startswith("M"):
            marks_left -= 1
        else:
            return character
    return None


def _is_letter(character: str) -> bool:
    return unicodedata.category(character).startswith("L")


def _wrong_name(shown: str) -> HandleVerdict:
    reads = skeleton(shown)
    if _has_code_shape(shown) or _is_reserved(reads):
        return _refuse("reserved", shown, _RESERVED)
    return HandleVerdict(Verdict.ACCEPT, "ok", shown, reads, None)


def _has_code_shape(shown: str) -> bool:
    plain = unicodedata.normalize("NFKC", shown).upper()
    return _DEVICE_CODE.fullmatch(plain) is not None


def _is_reserved(reads: str) -> bool:
    whole, inside = _reserved()
    return reads in whole or any(part in reads for part in inside)


@lru_cache(maxsize=1)
def _reserved() -> tuple[frozenset[str], frozenset[str]]:
    whole: set[str] = set()
    inside: set[str] = set()
    for line in datafiles.lines("reserved_handles"):
        name = line.strip("*")
        (whole if name == line else inside).add(skeleton(name))
    return frozenset(whole), frozenset(inside)


datafiles.forget_with(_reserved.cache_clear)


def _refuse(code: str, shown: str, text: Message) -> HandleVerdict:
    return HandleVerdict(Verdict.REFUSE, code, shown, None, text)


_INVISIBLE_CHARACTER = message(
    "ハンドルに見えない文字が入っています。手で入力し直してください"
)
_LENGTH = message(
    "ハンドルは%(shortest)s〜%(longest)s文字にしてください",
    shortest=SHORTEST,
    longest=LONGEST,
)
_UNSUPPORTED = message(
    "この文字はハンドルに使えません。日本語、英字、ギリシャ文字、キリル文字、"
    "ハングル、漢字、注音符号、タイ文字から選んでください"
)
_MIXED = message(
    "英字、ギリシャ文字、キリル文字は、1つのハンドルで混ぜられません。"
    "どれか1つで書いてください"
)
_NEEDS_LETTER = message("ハンドルには文字を1つ以上入れてください")
_RESERVED = message(
    "このハンドルは、運営や個体識別番号と紛らわしいため使えません。"
    "別のハンドルを入力してください"
)


def _symbol(character: str) -> Message:
    return message(
        "ハンドルに「%(character)s」は使えません。"
        "使える記号は空白と _ - . ' ~ ・ 〜 ☆ ★ ♪ ♡ ♥ です",
        character=character,
    )
