"""One line of a list: some copies of a card, as they were understood."""

import unicodedata

from tradeboard.cards.rules import limits, words
from tradeboard.core import folding
from tradeboard.core.errors import RuleBroken
from tradeboard.core.records import dataclass

DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
UNSEEN = {"Cc", "Cf", "Cs"}

Identity = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class CardLine:
    """Some copies of a card; what is empty was not said."""

    name: str
    quantity: int = 1
    set_code: str = ""
    rarity: str = ""
    language: str = ""
    condition: str = ""
    game: str = ""

    @property
    def key(self) -> str:
        """Return the name as it is searched and matched."""
        return folding.key(self.name)

    @property
    def identity(self) -> Identity:
        """Return what makes two lines the same card."""
        return (
            self.key,
            self.set_code,
            self.rarity,
            self.language,
            self.condition,
        )


def tidy(text: str) -> str:
    """Fold width, drop signs that cannot be seen, make single spaces."""
    folded = unicodedata.normalize("NFKC", text)
    seen = (" " if _is_space(sign) else sign for sign in folded)
    kept = (sign for sign in seen if unicodedata.category(sign) not in UNSEEN)
    return unicodedata.normalize("NFKC", " ".join("".join(kept).split()))


def tidy_code(text: str) -> str:
    """Return a set code as it is compared: capitals, one kind of dash."""
    return tidy(text).translate(DASHES).upper()


def checked(line: CardLine) -> CardLine:
    """Return the line, or refuse it, naming the field that is not as it must be."""
    if not line.name or not line.key:
        raise RuleBroken("カード名が読みとれません。", field="name")
    if not 1 <= line.quantity <= limits.MOST_COPIES:
        raise RuleBroken(
            "枚数は1から%(most)sまでです。", field="quantity", most=limits.MOST_COPIES
        )
    for field, longest in (
        ("name", limits.LONGEST_NAME),
        ("set_code", limits.LONGEST_CODE),
        ("rarity", limits.LONGEST_CODE),
        ("game", limits.LONGEST_GAME),
    ):
        if len(getattr(line, field)) > longest:
            raise RuleBroken("%(n)s字までです。", field=field, n=longest)
    if line.language and line.language not in words.LANGUAGES:
        raise RuleBroken(
            "カードの言語は ja、en、other のどれかです。", field="language"
        )
    if line.condition and line.condition not in words.CONDITIONS:
        raise RuleBroken("カードの状態は A、B、C、D のどれかです。", field="condition")
    return line


def _is_space(sign: str) -> bool:
    return sign.isspace() or sign in "\t\r\n"
