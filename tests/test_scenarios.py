"""The document of complaints names tests that there are."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| (\d+) \| .+ \| (.+) \|$", re.M)
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def names_in(path):
    """Return the names of the tests of a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_complaint_is_held_by_tests_that_there_are():
    text = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
    rows = {int(number): held for number, held in ROW.findall(text)}

    assert sorted(rows) == list(range(1, 33))
    for number, held in rows.items():
        named = NAMED.findall(held)
        assert named, number
        assert [one for one in named if one[1] not in names_in(one[0])] == []
