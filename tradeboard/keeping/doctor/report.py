"""What an examination finds."""

from dataclasses import field
from typing import Any

from tradeboard.core.records import dataclass


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and what to do about it."""

    check: str
    text: str
    remedy: str


@dataclass
class Report:
    """What was looked at, with numbers, and what is wrong."""

    facts: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.findings

    def find(self, check: str, text: str, remedy: str) -> None:
        """Note something that is wrong."""
        self.findings.append(Finding(check, text, remedy))
