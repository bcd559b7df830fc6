"""Lists beside the rules: one entry per line, sorted, with the operator's lines."""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

OURS = Path(__file__).parent / "data"

_DOMAIN = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
)
_LOCAL = re.compile(r"[a-z0-9._-]+")
_HANDLE = re.compile(r"\*?[^\s*]+(?: [^\s*]+)*\*?")
_LOOKALIKE = re.compile(r"\S\t\S+")

SHAPES = {
    "relay_domains": _DOMAIN,
    "disposable_extra": _DOMAIN,
    "disposable_allow": _DOMAIN,
    "fastmail_domains": _DOMAIN,
    "role_locals": _LOCAL,
    "reserved_handles": _HANDLE,
    "lookalikes": _LOOKALIKE,
}

_operator: list[Path] = []
_to_forget: list[Callable[[], None]] = []


class BadDataFile(ValueError):
    """A line that would be misread; the start stops rather than guess."""


def read(path: Path, shape: re.Pattern[str]) -> list[str]:
    """Return the entries of one file, or name the line that is wrong."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadDataFile(f"{path}: not UTF-8 ({error})") from error
    if text and not text.endswith("\n"):
        raise BadDataFile(f"{path}: the last line has no end")
    entries: list[str] = []
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        entry = _entry(line)
        if entry == "" and line.startswith("#"):
            continue
        if not shape.fullmatch(entry):
            raise BadDataFile(f"{path}, line {number}: not an entry: {line!r}")
        _in_order(entries, entry, f"{path}, line {number}")
        entries.append(entry)
    return entries


def _entry(line: str) -> str:
    before, comment, _ = line.partition("#")
    return before.rstrip(" ") if comment else line


def _in_order(entries: list[str], entry: str, where: str) -> None:
    if not entries:
        return
    # Look-alikes may stand only once on the left, whatever stands on the right.
    last, this = entries[-1].partition("\t")[0], entry.partition("\t")[0]
    if last == this:
        raise BadDataFile(f"{where}: twice: {entry!r}")
    if last > this:
        raise BadDataFile(f"{where}: not sorted: {entry!r}")


def use_folder(folder: Path | None) -> None:
    """Add the operator's files of the same names; reads all of them at once."""
    before = list(_operator)
    _start_over([folder] if folder is not None else [])
    try:
        for name in SHAPES:
            lines(name)
    except BadDataFile:
        _start_over(before)
        raise


def _start_over(folders: list[Path]) -> None:
    _operator[:] = folders
    lines.cache_clear()
    for forget in _to_forget:
        forget()


def forget_with(forget: Callable[[], None]) -> None:
    """Name a cache that is built from the lists and ends when they change."""
    _to_forget.append(forget)


@lru_cache(maxsize=len(SHAPES))
def lines(name: str) -> frozenset[str]:
    """Return the entries of a list, ours and the operator's."""
    found = set(read(OURS / f"{name}.txt", SHAPES[name]))
    for folder in _operator:
        path = folder / f"{name}.txt"
        if path.exists():
            found.update(read(path, SHAPES[name]))
    if len({entry.partition("\t")[0] for entry in found}) < len(found):
        raise BadDataFile(f"{name}.txt: the operator's lines contradict ours")
    return frozenset(found)


def parents(domain: str) -> list[str]:
    """Return the domain and those above it, most specific first, never one label."""
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels) - 1)]
