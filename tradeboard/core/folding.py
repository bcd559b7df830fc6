"""One fold for search: width, case and kana do not count."""

import re
import unicodedata

KATAKANA_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
LONGEST_SEARCH = 64


def fold(text: str) -> str:
    """Return the search key: NFKC, case folded, katakana as hiragana, single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.translate(KATAKANA_TO_HIRAGANA).split())


def terms(query: str) -> list[str]:
    """Return the folded words of a query, all of which must be found."""
    return fold(query[:LONGEST_SEARCH]).split()


def like(term: str) -> str:
    r"""Return a LIKE pattern that finds the term literally; the escape is `\`."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", term) + "%"
