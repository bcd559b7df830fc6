"""Which articles of the terms an entry rests on."""

from tradeboard.core.records import dataclass

HEADINGS = ("2週間の期限", "自動の登録", "two weeks", "automatic listing")


@dataclass(frozen=True)
class Clause:
    """One article: its heading and its paragraphs."""

    heading: str
    paragraphs: list[str]


def applying(text: str) -> list[Clause]:
    """Return the articles about the due instant and about listing."""
    return [
        clause
        for clause in _clauses(text)
        if any(word in clause.heading.lower() for word in HEADINGS)
    ]


def _clauses(text: str) -> list[Clause]:
    found: list[Clause] = []
    for line in text.splitlines():
        if line.startswith("## "):
            found.append(Clause(line[3:].strip(), []))
        elif found and line.strip():
            found[-1].paragraphs.append(line.strip())
    return found
