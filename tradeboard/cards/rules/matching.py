"""What a match is worth, and how much of it one look goes through."""

from tradeboard.core.records import dataclass

# How many meetings of a card with a wish are read for each direction.
MOST_MEETINGS = 20_000
MOST_PARTNERS = 24
# From how many members on either side three-way chains are sought.
MOST_ENDS = 25
MOST_CHAINS = 5
MOST_TOLD = 500


@dataclass(frozen=True)
class Partner:
    """Somebody with whom cards can change hands in both directions.

    `gives` and `takes` count copies, as the reader sees it.
    """

    id: int
    handle: str
    gives: int
    takes: int
    partner_count: int
    completed_count: int

    @property
    def value(self) -> int:
        """Return how many copies can change hands one for one."""
        return min(self.gives, self.takes)


@dataclass(frozen=True)
class End:
    """Somebody at one end of a chain, with the copies that pass there."""

    id: int
    handle: str
    copies: int
    partner_count: int


@dataclass(frozen=True)
class Chain:
    """The reader gives to `taker`, who gives to `giver`, who gives to the reader."""

    taker: End
    giver: End
    between: int

    @property
    def value(self) -> int:
        """Return how many copies can go all the way round."""
        return min(self.taker.copies, self.between, self.giver.copies)

    @property
    def order(self) -> tuple[int, int, int, int]:
        """Return by what chains are sorted: value, then records, then age."""
        records = self.taker.partner_count + self.giver.partner_count
        return (-self.value, -records, self.taker.id, self.giver.id)


def chains(
    takers: list[End], givers: list[End], between: dict[tuple[int, int], int]
) -> list[Chain]:
    """Return the best chains; `between` counts copies from a taker to a giver."""
    found = [
        Chain(taker, giver, between[taker.id, giver.id])
        for taker in takers
        for giver in givers
        if (taker.id, giver.id) in between
    ]
    return sorted(found, key=lambda chain: chain.order)[:MOST_CHAINS]
