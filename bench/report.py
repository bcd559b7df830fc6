"""Write the newest figures into docs/performance.md: `python -m bench.report`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.databases import ROOT

KEPT = ROOT / "build" / "bench.jsonl"
DOCUMENT = ROOT / "docs" / "performance.md"
SMALL, MIDDLE, LARGE = 10_000, 100_000, 1_000_000
PG = "postgresql"
NOT_YET = "–"
ANEW, ANEW_RPS = "anew_p50_ms", "anew_rps"

Lines = dict[tuple[str, str, int], dict[str, Any]]


def newest(path: Path = KEPT) -> Lines:
    """Return the newest line of each case, database and size."""
    found: Lines = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        found[line["case"], line["db"], line["size"]] = line
    return found


class Figures:
    """Reads figures by name; what was not measured is None, and so is what needs it."""

    def __init__(self, lines: Lines):
        self.lines = lines

    def of(self, case: str, key: str, size: int = LARGE, db: str = PG) -> float | None:
        """Return one figure."""
        return self.lines.get((case, db, size), {}).get(key)

    def against(self, case: str, other: str, key: str = "p50_ms") -> float | None:
        """Return how many times as long it takes as another case."""
        return _over(self.of(case, "p50_ms"), self.of(other, key))

    def growth(self, case: str, since: int, key: str = "p50_ms") -> float | None:
        """Return how many times longer it takes in the largest world."""
        return _over(self.of(case, key), self.of(case, key, since))


def _over(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else one / other


Read = Callable[[Figures], float | None]


def _ratio(case: str) -> Read:
    return lambda f: f.of(case, "ratio")


def _times_limit(case: str) -> Read:
    return lambda f: _over(f.of(case, "limit_rps"), f.of(case, "rps"))


# What is asked, how it is read, the bound if there is one, whether more is better.
BARS: tuple[tuple[str, Read, float | None, bool], ...] = (
    ("board: of the limit's rate", _ratio("board"), 0.5, True),
    ("board, signed in: of the limit's rate", _ratio("board_signed_in"), 0.35, True),
    ("board: statements", lambda f: f.of("board", "statements"), 3, False),
    (
        "board, signed in: statements",
        lambda f: f.of("board_signed_in", "statements"),
        6,
        False,
    ),
    (
        "board made anew: of the limit's rate",
        lambda f: _over(f.of("board", ANEW_RPS), f.of("board", "limit_rps")),
        None,
        True,
    ),
    (
        "page from the middle: p50, times the first page's, made anew",
        lambda f: f.against("board_deep", "board", ANEW),
        1.1,
        False,
    ),
    (
        "board: p50, times that at 10,000",
        lambda f: f.growth("board", SMALL),
        1.15,
        False,
    ),
    (
        "board made anew: p50, times that at 10,000",
        lambda f: f.growth("board", SMALL, ANEW),
        1.15,
        False,
    ),
    (
        "search, 2 signs: p50, times the board's, made anew",
        lambda f: f.against("search_2", "board", ANEW),
        3,
        False,
    ),
    (
        "search, 6 signs: p50, times the board's, made anew",
        lambda f: f.against("search_6", "board", ANEW),
        3,
        False,
    ),
    (
        "search, 2 signs: p50, times that at 100,000",
        lambda f: f.growth("search_2", MIDDLE),
        2,
        False,
    ),
    (
        "search, 6 signs: p50, times that at 100,000",
        lambda f: f.growth("search_6", MIDDLE),
        2,
        False,
    ),
    ("look-up: of the limit's rate", _ratio("look_up"), 0.6, True),
    (
        "look-up: p50, times that at 10,000",
        lambda f: f.growth("look_up", SMALL),
        1.1,
        False,
    ),
    (
        "a hundred at once: times a single look-up",
        lambda f: f.against("bulk_100", "look_up"),
        6,
        False,
    ),
    ("post a listing: of the limit's rate", _ratio("post_listing"), 0.25, True),
    ("send an offer: of the limit's rate", _ratio("post_offer"), 0.25, True),
    ("send a parcel: of the limit's rate", _ratio("post_dispatch"), 0.25, True),
    ("sweep: times the limit's loop", _times_limit("sweep"), 3, False),
    (
        "sweep, nothing due: ms",
        lambda f: f.of("sweep_idle", "p50_ms"),
        5,
        False,
    ),
    ("start of a worker: ms", lambda f: f.of("start", "p50_ms"), 1500, False),
    ("resident memory of a worker: MB", lambda f: f.of("memory", "rss_mb"), 160, False),
)


def bars(lines: Lines) -> str:
    """Return the table of bars; met or not is said in words."""
    figures = Figures(lines)
    rows = ["| bar | measured | limit | when | |", "| --- | --: | --: | --- | --- |"]
    day = max((line["at"][:10] for line in lines.values()), default=NOT_YET)
    for name, read, bound, more in BARS:
        value = read(figures)
        asked = NOT_YET
        if bound is not None:
            asked = f"{'at least' if more else 'at most'} {bound:,g}"
        words = _verdict(value, bound, more)
        rows.append(_line([name, _shown(value), asked, day, words]))
    return "\n".join(rows)


def _verdict(value: float | None, bound: float | None, more: bool) -> str:
    if value is None or bound is None:
        return ""
    return "met" if (value >= bound if more else value <= bound) else "missed"


def every(lines: Lines) -> str:
    """Return the table of all figures."""
    keys = ("rps", "p50_ms", "p99_ms", "statements", "limit_rps", "ratio")
    head = ["case", "database", "listings", *keys]
    rows = [_line(head), _line(["---"] * 3 + ["--:"] * len(keys))]
    for (case, db, size), line in lines.items():
        rows.append(_line([case, db, f"{size:,}", *(_shown(line[k]) for k in keys)]))
    return "\n".join(rows)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(value: float | None) -> str:
    if value is None:
        return NOT_YET
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"


def fill(document: str, lines: Lines) -> str:
    """Put both tables between their marks."""
    for name, table in (("bars", bars(lines)), ("figures", every(lines))):
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = document.partition(begin)
        _, _, after = rest.partition(end)
        document = f"{before}{begin}\n{table}\n{end}{after}"
    return document


def main() -> int:
    """Write the document anew, and print the table of bars."""
    lines = newest()
    DOCUMENT.write_text(fill(DOCUMENT.read_text(encoding="utf-8"), lines), "utf-8")
    print(bars(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
