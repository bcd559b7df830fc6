"""What somebody looks for, as it stands in an address."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import parse_qsl, urlencode

from tradeboard.core import folding
from tradeboard.core.records import dataclass

CONDITIONS = {"ab": ("A", "B"), "cd": ("C", "D")}
LANGUAGES = ("ja", "en", "other")
KEYS = ("q", "game", "cond", "lang", "rarity", "ship", "photo", "mine", "new")
CHOICES: Mapping[str, Sequence[str]] = {
    "cond": tuple(CONDITIONS),
    "lang": LANGUAGES,
    "ship": ("abroad",),
    "photo": ("1",),
    "mine": ("1",),
    "new": ("1",),
}
# What the address alone does not say: whose cards, and since when.
BY_MEMBER, BY_VISIT = "mine", "new"

MOST_SAVED = 10
LONGEST_SAVED = 2000


@dataclass(frozen=True)
class Filters:
    """What somebody looks for; nothing set finds everything.

    `has_what` is the member whose cards must be asked for.
    """

    terms: Sequence[str] = ()
    conditions: Sequence[str] = ()
    language: str = ""
    rarity: str = ""
    abroad: bool = False
    photo: bool = False
    game: str = ""
    has_what: int | None = None
    since: datetime | None = None


def read(values: Mapping[str, str]) -> dict[str, str]:
    """Return the search of an address; what was made up is left out."""
    asked = {}
    for key in KEYS:
        text = values.get(key, "")[: folding.LONGEST_SEARCH]
        value = " ".join("".join(map(_shown, text)).split())
        if value and value in CHOICES.get(key, (value,)):
            asked[key] = value
    return asked


def _shown(sign: str) -> str:
    return " " if unicodedata.category(sign) == "Cc" else sign


def filters(
    asked: Mapping[str, str],
    *,
    viewer_id: int | None = None,
    since: datetime | None = None,
) -> Filters:
    """Return what a search asks of a listing; `new` asks for what came since."""
    return Filters(
        terms=folding.terms(asked.get("q", "")),
        conditions=CONDITIONS.get(asked.get("cond", ""), ()),
        language=asked.get("lang", ""),
        rarity=asked.get("rarity", ""),
        abroad="ship" in asked,
        photo="photo" in asked,
        game=asked.get("game", ""),
        has_what=viewer_id if BY_MEMBER in asked else None,
        since=since if BY_VISIT in asked else None,
    )


def without(asked: Mapping[str, str], *dropped: str) -> dict[str, str]:
    """Return a search without some of its conditions."""
    return {key: value for key, value in asked.items() if key not in dropped}


def to_keep(asked: Mapping[str, str]) -> str:
    """Return a search in the one way in which it is saved."""
    return urlencode([(key, asked[key]) for key in KEYS if key in asked])


def kept(text: str) -> dict[str, str]:
    """Return the search that was saved so."""
    if len(text) > LONGEST_SAVED:
        return {}
    return read(dict(parse_qsl(text)))
