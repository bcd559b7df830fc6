"""Write the newest lines of the guarantees into their page.

    python -m tests.soaks.book

The page has a section for each kind, between `<!-- lines G -->` and `<!-- end -->`;
it gets the lines whose guarantee is that letter with a number. A section may name
guarantees, too: `<!-- lines mirror browser -->`.
"""

import json
import re
import sys
from pathlib import Path

from tests.soaks import guarantees

PAGE = Path(__file__).parents[2] / "docs" / "guarantees.md"
SECTION = re.compile(r"(<!-- lines ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
DATABASES = ("sqlite", "postgresql", None)
SIZES = (None, "quick", "soak")


def last(lines: list[dict]) -> dict[tuple, dict]:
    """Return the last line of each guarantee, database and size."""
    return {(line["guarantee"], line["db"], line.get("size")): line for line in lines}


def newest(lines: list[dict]) -> list[dict]:
    """Return what the page shows: of each guarantee and database the largest size."""
    found: dict[tuple, dict] = {}
    for line in sorted(last(lines).values(), key=_place):
        found[line["guarantee"], line["db"]] = line
    return list(found.values())


def fill(page: str, lines: list[dict]) -> str:
    """Return the page with its sections made anew."""

    def section(found: re.Match[str]) -> str:
        head, kinds, end = found.groups()
        mine = [line for line in lines if _is_of(line["guarantee"], kinds.split())]
        texts = [json.dumps(line, ensure_ascii=False) for line in newest(mine)]
        return head + "\n".join(["```json", *texts, "```", end])

    return SECTION.sub(section, page)


def _is_of(guarantee: str, kinds: list[str]) -> bool:
    return any(guarantee == kind or re.match(rf"{kind}\d", guarantee) for kind in kinds)


def _place(line: dict) -> tuple:
    number = re.search(r"\d+", line["guarantee"])
    return (
        int(number.group()) if number else 0,
        line["guarantee"],
        DATABASES.index(line["db"]),
        SIZES.index(line.get("size")),
    )


def main() -> int:
    """Fill the page; the code is 1 if a newest line tells of a violation."""
    texts = guarantees.FILE.read_text(encoding="utf-8").splitlines()
    lines = [json.loads(text) for text in texts]
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(fill(page, lines), encoding="utf-8")
    broken = [line for line in last(lines).values() if line["violations"]]
    for line in broken:
        print("violated:", json.dumps(line, ensure_ascii=False))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
