"""Which version binds, what changed since another, and the points that come first."""

from collections.abc import Sequence
from datetime import timedelta
from difflib import SequenceMatcher

from tradeboard.core.records import dataclass

ACTIVE_WITHIN = timedelta(days=180)
TOLD_FOR = timedelta(days=7)


def is_due(newest: int | None, agreed: int | None) -> bool:
    """Tell whether a person must be asked before the next post, offer or acceptance."""
    return newest is not None and (agreed is None or agreed < newest)


@dataclass(frozen=True)
class Change:
    """A paragraph that came or went."""

    came: bool
    text: str


def changes(before: str, after: str) -> list[Change]:
    """Return the paragraphs that differ, in reading order."""
    old, new = _paragraphs(before), _paragraphs(after)
    found = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            found += [Change(False, text) for text in old[i:j]]
            found += [Change(True, text) for text in new[k:m]]
    return found


def points(text: str) -> list[str]:
    """Return the items of the first list: what must be known before all else."""
    items: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            items.append(line[2:].strip())
        elif items:
            break
    return items


def after_points(text: str) -> str:
    """Return the text without its title and without the points and their heading."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("- ")), None)
    if first is None:
        return _without_title(lines)
    end = next((i for i in range(first, len(lines)) if not _in_list(lines[i])), None)
    return _without_title([] if end is None else lines[end:])


def _in_list(line: str) -> bool:
    return line.startswith("- ") or not line.strip()


def _without_title(lines: Sequence[str]) -> str:
    return "\n".join(line for line in lines if not line.startswith("# ")).strip()


def _paragraphs(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
