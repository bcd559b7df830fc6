"""Read plain text as people write it: `2x 竜の名前 [ABC-001] (Rare)`, `名前 ×3`."""

import re
from dataclasses import field

from tradeboard.cards.rules import lines
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.reading import Read, Reading
from tradeboard.core.errors import RuleBroken
from tradeboard.core.records import dataclass

FORM = "text"

_BULLET = re.compile(
    r"(?:[①-⑳]\s*|[-*•‣◦●○■□▪▫–—·・>]+\s*|[★☆◆◇]\s+|\d{1,3}[.)]\s+|\[[ xX✓]?\]\s+)"
)
_REMARK = re.compile(r"#|//|!side|==|--")
_HEADING = re.compile(
    r"(?:main|extra|side|deck|sideboard|maybeboard|commander|main ?deck|extra ?deck|"
    r"side ?deck|メイン(?:デッキ)?|エクストラ(?:デッキ)?|サイド(?:デッキ)?)"
    r"\s*(?:\(\d+\))?\s*:?|.{1,40}:",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(\d{1,6})\s*(?:[×✕✖*枚]\s*|[xX](?=[\s\u3000-\U0003ffff])\s*|\s+)"
)
_TIMES = re.compile(r"(?:\s*[×✕✖*]|(?<=[\s\])])[xX])\s*(\d{1,6})\s*枚?$")
_SHEETS = re.compile(r"(?:\s+|(?<=[^\d\s]))(\d{1,6})\s*枚$")
_GROUP = re.compile(
    r"\s*(?:\[([^\[\]]*)\]|【([^【】]*)】|\(([^()]*)\)|〔([^〔〕]*)〕)$"
)
_ARENA = re.compile(r"\s+\(([A-Za-z0-9]{2,6})\)\s+(\d{1,4}[a-z]?)$")
_CODE = re.compile(r"[A-Za-z0-9]{2,8}-[A-Za-z]{0,3}\d{1,4}[A-Za-z]?")
_BARE_CODE = re.compile(rf"\s+({_CODE.pattern})$")
_FIRST_CODE = re.compile(rf"[\[【]({_CODE.pattern})[\]】]\s*")
_COUNT = re.compile(r"[xX×✕✖*]?\s*(\d{1,6})\s*[xX×✕✖*枚]?")
_GRADE = re.compile(r"状態\s*:?\s*([A-Da-d])")

LANGUAGES = {
    "日本語": "ja",
    "日": "ja",
    "jp": "ja",
    "ja": "ja",
    "jpn": "ja",
    "japanese": "ja",
    "英語": "en",
    "英": "en",
    "en": "en",
    "eng": "en",
    "english": "en",
}
GRADES = {
    "nm": "A",
    "mint": "A",
    "near mint": "A",
    "lp": "B",
    "excellent": "B",
    "lightly played": "B",
    "good (lightly played)": "B",
    "mp": "C",
    "played": "C",
    "moderately played": "C",
    "hp": "D",
    "heavily played": "D",
    "dmg": "D",
    "damaged": "D",
}


def read(text: str) -> Reading:
    """Read a text, a card a line."""
    found = []
    for number, typed in enumerate(text.splitlines(), start=1):
        if lines.tidy(typed):
            found.append(_read(number, typed))
    return Reading(FORM, found)


def write(card: CardLine) -> str:
    """Return a card as a line that reads as the same."""
    parts = [f"{card.quantity}x {card.name}"]
    parts += [f"[{card.set_code}]"] if card.set_code else []
    parts += [f"({card.rarity})"] if card.rarity else []
    parts += [f"({card.language})"] if card.language in ("ja", "en") else []
    parts += [f"(状態{card.condition})"] if card.condition else []
    return " ".join(parts)


def _read(number: int, typed: str) -> Read:
    if _is_remark(typed):
        return Read(number, typed)
    try:
        return Read(number, typed, lines.checked(_card(typed)))
    except RuleBroken as refusal:
        return Read(number, typed, problem=refusal.message)


def _is_remark(typed: str) -> bool:
    line = lines.tidy(typed)
    return bool(_REMARK.match(line) or _HEADING.fullmatch(line))


@dataclass
class _Found:
    """What has been found of a line so far."""

    rest: str
    quantity: int | None = None
    said: dict[str, str] = field(default_factory=dict)

    def say(self, what: str, value: str) -> bool:
        """Note it, unless another has been noted already."""
        if not value or what in self.said:
            return False
        self.said[what] = value
        return True

    def count(self, digits: str) -> bool:
        """Note how many, unless that has been said already."""
        if self.quantity is not None:
            return False
        self.quantity = int(digits)
        return True


def _card(typed: str) -> CardLine:
    bare = typed.strip()
    if bullet := _BULLET.match(bare):
        bare = bare[bullet.end() :]
    cells = [cell for cell in map(lines.tidy, bare.split("\t")) if cell]
    found = _Found(cells[0] if cells else "")
    if len(cells) > 1:
        _read_cells(found, cells)
    _read_line(found)
    said = dict(found.said)
    said["set_code"] = lines.tidy_code(said.get("set_code", ""))
    quantity = 1 if found.quantity is None else found.quantity
    return CardLine(found.rest, quantity, **said)


def _read_cells(found: _Found, cells: list[str]) -> None:
    """Read what stands between tabs: how many, the name, then the rest."""
    rest = []
    for cell in cells:
        count = _COUNT.fullmatch(cell)
        if not (count and found.count(count[1])):
            rest.append(cell)
    found.rest = rest[0] if rest else ""
    for cell in rest[1:]:
        group = _GROUP.fullmatch(cell)
        inner = (
            next((g for g in group.groups() if g is not None), "") if group else cell
        )
        if not _say(found, lines.tidy(inner), bracket=bool(group and group[1])):
            found.rest += f" {cell}"


def _read_line(found: _Found) -> None:
    code = _FIRST_CODE.match(found.rest)
    if code and found.say("set_code", code[1]):
        found.rest = found.rest[code.end() :]
    while _take_end(found):
        pass
    leading = _LEADING.match(found.rest)
    if leading and found.rest[leading.end() :] and found.count(leading[1]):
        found.rest = found.rest[leading.end() :]
    found.rest = lines.tidy(found.rest)


def _take_end(found: _Found) -> bool:
    """Take one thing off the end of the line; tell whether there was one."""
    for pattern, take in _ENDS:
        end = pattern.search(found.rest)
        if end and take(found, end):
            found.rest = found.rest[: end.start()].rstrip()
            return True
    return False


def _take_count(found: _Found, end: re.Match) -> bool:
    return found.count(end[1])


def _take_arena(found: _Found, end: re.Match) -> bool:
    return found.say("set_code", f"{end[1]} {end[2]}")


def _take_group(found: _Found, end: re.Match) -> bool:
    if end.start() == 0:
        return False  # A name in brackets is a name.
    inner = next((group for group in end.groups() if group is not None), "")
    return _say(found, lines.tidy(inner), bracket=end[1] is not None)


def _take_code(found: _Found, end: re.Match) -> bool:
    return found.say("set_code", end[1])


def _say(found: _Found, text: str, *, bracket: bool) -> bool:
    """Tell what a word beside the name means, and note it."""
    if text.isascii() and text.isdigit() and len(text) <= 3 and not bracket:
        return found.count(text)
    if language := LANGUAGES.get(text.casefold()):
        return found.say("language", language)
    if grade := _GRADE.fullmatch(text):
        return found.say("condition", grade[1].upper())
    if text.casefold() in GRADES:
        return found.say("condition", GRADES[text.casefold()])
    if bracket or _CODE.fullmatch(text):
        return found.say("set_code", text)
    return found.say("rarity", text)


_ENDS = (
    (_TIMES, _take_count),
    (_SHEETS, _take_count),
    (_ARENA, _take_arena),
    (_GROUP, _take_group),
    (_BARE_CODE, _take_code),
)
