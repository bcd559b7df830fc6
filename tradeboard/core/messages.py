"""Sentences for people: written once, in Japanese, and translated at the edge."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from tradeboard.core.records import dataclass


@dataclass(frozen=True)
class Message:
    """A marked sentence with named gaps; `str()` gives it in Japanese."""

    text: str
    gaps: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.text % self.gaps if self.gaps else self.text


def message(text: str, **gaps: Any) -> Message:
    """Mark a Japanese sentence for translation; gaps are written `%(name)s`."""
    return Message(text, gaps)
