"""Every requirement of ASVS 5.0, level 2, has its row, and what it names is there."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/asvs.md"
IDS = ROOT / "tests/vectors/asvs-level2-ids.txt"
ROW = re.compile(r"\| ([\d.]+) \| (.*?) \| (.*) \| (met|deviation|operator|n\.a\.) \|")
TEST = re.compile(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`")
QUOTED = re.compile(r"`([^`]+)`")


def rows():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [ROW.fullmatch(line) for line in lines if re.match(r"\| \d", line)]


@cache
def names_in(name: str) -> set[str]:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    return {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}


def test_every_requirement_has_one_row_in_its_order():
    lines = IDS.read_text(encoding="utf-8").splitlines()
    wanted = [line.split()[0] for line in lines if not line.startswith("#")]

    assert None not in rows()
    assert [row[1] for row in rows()] == wanted


def test_each_file_and_each_test_is_there():
    for row in rows():
        number, files, said, status = row.groups()
        for name in QUOTED.findall(files):
            assert (ROOT / name).exists(), (number, name)
        for name, test in TEST.findall(said):
            assert (ROOT / name).is_file(), (number, name)
            assert not test or test in names_in(name), (number, name, test)
        if status == "met":
            assert files != "–", number
            assert TEST.search(said), (number, "met, but by no test")


def test_what_is_not_met_by_a_test_has_a_reason_in_words():
    for row in rows():
        words = TEST.sub("", row[3]).split()
        if row[4] in ("deviation", "n.a."):
            assert len(words) >= 2, row[0]
        if row[4] == "operator":
            assert words or TEST.search(row[3]), row[0]


def test_the_numbers_above_the_table_are_those_of_its_rows():
    page = PAGE.read_text(encoding="utf-8")

    for status in ("met", "deviation", "operator", "n.a."):
        count = sum(row[4] == status for row in rows())
        assert f"- **{status}** ({count})" in page, status
