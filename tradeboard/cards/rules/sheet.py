"""Lists as CSV: columns by their names, cells that no spreadsheet runs."""

import csv
from collections.abc import Iterable, Iterator, Mapping

from tradeboard.cards.rules import columns, lines, plain
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.reading import Read, Reading
from tradeboard.core import sheets
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import Message, message

FORM = "csv"
FIELDS = ("name", "quantity", "set_code", "rarity", "language", "condition", "game")

BROKEN_CELL: Message = message("引用符の閉じ忘れなどで、この行を区切れませんでした。")
NO_NUMBER: Message = message("枚数が数ではありません。")


def write(cards: Iterable[CardLine], language: str = "ja") -> str:
    """Return a list as CSV; its columns are named in a language."""
    ours = {field: names[0] for field, names in columns.NAMES.items()}
    head = ours if language == "ja" else columns.ENGLISH
    rows = [[getattr(card, field) for field in FIELDS] for card in cards]
    return sheets.write([[head[field] for field in FIELDS], *rows])


def looks_like_one(text: str) -> bool:
    """Tell whether the first line names columns, a card's name among them."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    cells = next(_rows([first], _delimiter(first)), (0, "", None))[2]
    return cells is not None and len(cells) > 1 and "name" in _columns(cells)


def read(text: str) -> Reading:
    """Read a list, a card a row; without names of columns they come in our order."""
    typed = text.removeprefix(sheets.BOM).splitlines()
    first = next((line for line in typed if line.strip()), "")
    places: dict[str, int] = {}
    header, found = "", []
    for number, raw, cells in _rows(typed, _delimiter(first)):
        if cells is not None and not any(cell.strip() for cell in cells):
            continue
        if not places and cells is not None:
            places = _columns(cells)
            if "name" in places:
                header = raw
                continue
            places = {field: at for at, field in enumerate(FIELDS)}
        found.append(_read(number, raw, cells, places))
    return Reading(FORM, found, header)


def _rows(
    typed: list[str], delimiter: str
) -> Iterator[tuple[int, str, list[str] | None]]:
    """Return each row with its first line's number and as it was typed.

    A row that cannot be divided has no cells.
    """
    sheet = csv.reader(
        (line + "\n" for line in typed), delimiter=delimiter, strict=True
    )
    done = 0
    while done < len(typed):
        try:
            cells: list[str] | None = next(sheet)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        raw = "\n".join(typed[done : sheet.line_num])
        yield done + 1, raw, cells
        done = sheet.line_num


def _delimiter(first: str) -> str:
    return max(",\t;", key=first.count)


def _columns(cells: list[str]) -> dict[str, int]:
    """Return where each field stands, as far as the names of columns tell."""
    found: dict[str, int] = {}
    for at, cell in enumerate(cells):
        field = columns.FIELD_OF.get(lines.tidy(cell).casefold())
        if field is not None:
            found.setdefault(field, at)
    return found


def _read(
    number: int, raw: str, cells: list[str] | None, places: Mapping[str, int]
) -> Read:
    if cells is None:
        return Read(number, raw, problem=BROKEN_CELL)
    said = {
        field: sheets.unguard(cells[at])
        for field, at in places.items()
        if at < len(cells)
    }
    try:
        return Read(number, raw, lines.checked(_card(said)))
    except RuleBroken as refusal:
        return Read(number, raw, problem=refusal.message)


def _card(said: Mapping[str, str]) -> CardLine:
    tidied = {field: lines.tidy(text) for field, text in said.items()}
    language = tidied.get("language", "").casefold()
    condition = tidied.get("condition", "")
    return CardLine(
        name=tidied.get("name", ""),
        quantity=_quantity(tidied.get("quantity", "")),
        set_code=lines.tidy_code(tidied.get("set_code", "")),
        rarity=tidied.get("rarity", ""),
        language=plain.LANGUAGES.get(language, "other") if language else "",
        condition=plain.GRADES.get(condition.casefold(), condition[:1].upper()),
        game=tidied.get("game", ""),
    )


def _quantity(text: str) -> int:
    if not text:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise RuleBroken(NO_NUMBER, field="quantity")
    return int(text)
