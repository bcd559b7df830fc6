"""Rows as CSV that spreadsheets read as UTF-8 and never run as formulas."""

import csv
import io
import re
from collections.abc import Iterable

# Spreadsheets guess the encoding without it.
BOM = "\ufeff"
_RUN = re.compile(r"'*[=+\-@\t\r\n]")


def guard(cell: object) -> str:
    """Put an apostrophe before a cell that a spreadsheet would run as a formula."""
    text = "" if cell is None else str(cell)
    return f"'{text}" if _RUN.match(text) else text


def unguard(cell: str) -> str:
    """Take the apostrophe of `guard` off again."""
    return cell[1:] if cell.startswith("'") and _RUN.match(cell) else cell


def write(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with a byte order mark, each cell guarded."""
    out = io.StringIO()
    sheet = csv.writer(out, lineterminator="\r\n")
    sheet.writerows([guard(cell) for cell in row] for row in rows)
    return BOM + out.getvalue()
