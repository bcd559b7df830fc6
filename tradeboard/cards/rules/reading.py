"""What was read of a text, line by line; nothing that was typed is lost."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tradeboard.cards.rules.lines import CardLine
from tradeboard.core.messages import Message
from tradeboard.core.records import dataclass


@dataclass(frozen=True)
class Read:
    """One line as it was typed, and the card in it or what keeps it from being one.

    With neither it is a heading or a remark, which is passed over.
    """

    number: int
    typed: str
    card: CardLine | None = None
    problem: Message | None = None


@dataclass(frozen=True)
class Reading:
    """A whole text: which form it had, and its lines but the empty ones."""

    form: str
    lines: Sequence[Read]
    header: str = ""

    @property
    def cards(self) -> list[CardLine]:
        """Return the cards that were understood; the same card once, summed up."""
        return summed(read.card for read in self.lines if read.card is not None)

    @property
    def problems(self) -> list[Read]:
        """Return the lines that look like a card but were not understood."""
        return [read for read in self.lines if read.problem is not None]

    @property
    def passed(self) -> list[Read]:
        """Return headings and remarks."""
        return [r for r in self.lines if r.card is None and r.problem is None]

    def left(self) -> str:
        """Return what was not understood, as it was typed, to be written anew."""
        typed = [read.typed for read in self.problems]
        return "\n".join([self.header, *typed] if self.header and typed else typed)


def summed(cards: Iterable[CardLine]) -> list[CardLine]:
    """Return each card once, in the order of its first line."""
    found: dict[tuple, CardLine] = {}
    for card in cards:
        before = found.get(card.identity)
        found[card.identity] = (
            replace(before, quantity=before.quantity + card.quantity)
            if before
            else card
        )
    return list(found.values())
