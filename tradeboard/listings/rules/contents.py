"""What a listing says, once its form has been read."""

from collections.abc import Iterator

from tradeboard.core.records import dataclass
from tradeboard.listings.rules.states import Side


@dataclass(frozen=True)
class LineData:
    """One card as the form names it; `id` is that of the line it changes."""

    name: str
    quantity: int
    set_code: str = ""
    rarity: str = ""
    language: str = ""
    condition: str = ""
    id: int | None = None


@dataclass(frozen=True)
class ListingData:
    """A whole listing as the form says it."""

    have: tuple[LineData, ...]
    want: tuple[LineData, ...]
    game: str = ""
    note: str = ""
    ships_from: str = ""
    ships_to: str = ""
    captions: tuple[str, ...] = ()

    def lines(self) -> Iterator[tuple[Side, LineData]]:
        """Return all lines with their side."""
        yield from ((Side.HAVE, line) for line in self.have)
        yield from ((Side.WANT, line) for line in self.want)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Return every text that a person wrote, with the field it stands in."""
        yield "note", self.note
        yield "game", self.game
        for caption in self.captions:
            yield "photo", caption
        for side, line in self.lines():
            for text in (line.name, line.set_code, line.rarity):
                yield str(side), text


def title(names: list[tuple[str, int]]) -> str:
    """Name some cards in one line: the first, and how many more there are."""
    if not names:
        return ""
    name, quantity = names[0]
    more = f" +{len(names) - 1}" if len(names) > 1 else ""
    return f"{name} ×{quantity}{more}" if quantity > 1 else f"{name}{more}"


def wishes(names: list[tuple[str, int]]) -> str:
    """Name up to three cards, with how many of each."""
    words = [f"{name} ×{n}" if n > 1 else name for name, n in names[:3]]
    return "、".join(words) + (f" +{len(names) - 3}" if len(names) > 3 else "")
