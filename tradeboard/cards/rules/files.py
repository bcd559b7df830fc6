"""Files as people have them: what they are encoded in, what form they have."""

import codecs
import unicodedata
from collections.abc import Mapping

from tradeboard.cards.rules import decks, limits, plain, sheet
from tradeboard.cards.rules.reading import Reading
from tradeboard.core.errors import RuleBroken

AUTO = "auto"
MOST_FOLDED = 2
FORMS = (AUTO, plain.FORM, sheet.FORM, decks.FORM)


def decode(data: bytes) -> str:
    """Return a file as text: UTF-8 with or without mark, UTF-16 with, or Shift_JIS."""
    if len(data) > limits.LARGEST_FILE:
        raise RuleBroken(
            "ファイルは%(n)s KBまでです。分けてから選んでください。",
            field="file",
            n=limits.LARGEST_FILE // 1000,
        )
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp932"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise RuleBroken(
        "文字コードが読みとれません。UTF-8かShift_JISで保存してから選んでください。",
        field="file",
    )


def check_size(text: str) -> None:
    """Refuse a text that is too long to be read at once."""
    # A sign can fold into eighteen; what people write seldom grows at all.
    folded = unicodedata.normalize("NFKC", text[: limits.LARGEST_TEXT + 1])
    if max(len(text), len(folded) // MOST_FOLDED) > limits.LARGEST_TEXT:
        raise RuleBroken(
            "一度に読みとれるのは%(n)s字までです。分けて貼ってください。",
            field="text",
            n=limits.LARGEST_TEXT,
        )
    if len(text.splitlines()) > limits.MOST_READ_LINES:
        raise RuleBroken(
            "一度に読みとれるのは%(n)s行までです。分けて貼ってください。",
            field="text",
            n=limits.MOST_READ_LINES,
        )


def form_of(text: str, said: str = AUTO, filename: str = "") -> str:
    """Return which form a text has: as was said, or else as it looks."""
    if said in FORMS and said != AUTO:
        return said
    if filename.lower().endswith(".ydk") or decks.looks_like_one(text):
        return decks.FORM
    if filename.lower().endswith(".csv") or sheet.looks_like_one(text):
        return sheet.FORM
    return plain.FORM


def read(text: str, form: str, known: Mapping[str, str]) -> Reading:
    """Read a text of a known form; `known` names the cards of deck numbers."""
    if form == decks.FORM:
        return decks.read(text, known)
    return sheet.read(text) if form == sheet.FORM else plain.read(text)
