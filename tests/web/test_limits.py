"""What `docs/limits.md` says is what the code does."""

import ast
import importlib
import re
from datetime import timedelta
from pathlib import Path

import limits

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\|[^|]+\| ([^|]+) \|(?:[^|]*\|)? *((?:`[\w.]+`(?:, )?)+) \|$", re.M)
RATE = re.compile(r"\d+ per (?:\d+ )?(?:second|minute|hour|day)s?")
UNITS = {
    "MiB": 1024 * 1024,
    "KiB": 1024,
    "MB": 1000 * 1000,
    "days": timedelta(days=1),
}


def test_every_limit_is_what_it_says():
    wrong = {
        name: (said, value)
        for said, name, value in documented()
        if meaning(said) != meaning(value)
    }

    assert wrong == {}


def test_no_rate_is_missing():
    names = {name for _, name, _ in documented()}
    found = set()
    for file in (ROOT / "tradeboard").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if " per " not in text:
            continue
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(text).body:
            for target in getattr(node, "targets", ()):
                value = getattr(importlib.import_module(module), _name(target), None)
                if isinstance(value, str) and RATE.fullmatch(value):
                    found.add(f"{module.removeprefix('tradeboard.')}.{_name(target)}")

    assert len(found) > 25
    assert found - names == set()


def documented():
    """Return what each row says, the name in the code, and its value."""
    text = (ROOT / "docs/limits.md").read_text(encoding="utf-8")
    rows = ROW.findall(text)
    assert len(rows) == text.count("\n|") - 2 * text.count("\n|---")
    return [
        (said.strip(), name, valued(name))
        for said, names in rows
        for name in re.findall(r"`([\w.]+)`", names)
    ]


def valued(name):
    """Return what a name means: a module, then attributes or keys."""
    parts = name.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(["tradeboard", *parts[:split]]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            found = found[part] if isinstance(found, dict) else getattr(found, part)
        return found
    raise AssertionError(name)


def meaning(value):
    """Return a limit so that two that are the same are equal."""
    if not isinstance(value, str):
        return value
    if " per " in value:
        return limits.parse(value)
    number, _, unit = value.replace(",", "").partition(" ")
    number = float(number) if "." in number else int(number)
    return number * UNITS[unit] if unit else number


def _name(target):
    return getattr(target, "id", "")
