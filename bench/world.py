"""How a world of some size is laid out: who owns what, as arithmetic on numbers.

Everything about a listing or a trade follows from its number, so that a database can
write a million of them from a few thousand blocks without being told each.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

# Changed rows need new worlds: count this up with every change of what is built.
GENERATION = 1

SIZES = (10_000, 100_000, 1_000_000)
MOST_ENTRIES = 100_000
MOST_BLOCKS = 10_000
KINDS = 20  # A listing's number modulo this tells its state.
OPEN_BELOW = 14
RESERVED = 14
EXPIRED_TO = 18
TRADES_A_LISTING = 4
RARE_EVERY, RARE_AT = 1000, 7
ROUNDS = 5
SLOT_S = 3600
LISTED_WITHIN_S = 29 * 86_400
DAY_S = 86_400
TWO_WEEKS_S = 14 * DAY_S
PHOTO_EVERY = 3


@dataclass(frozen=True)
class World:
    """So many listings, a tenth as many accounts, as many open trades, and entries.

    `at` is the moment at which the world was made; everything in it lies around it.
    """

    size: int
    at: datetime

    @property
    def accounts(self) -> int:
        """Return how many people there are."""
        return self.size // 10

    @property
    def entries(self) -> int:
        """Return how many entries there are: a hundred thousand where that fits."""
        return MOST_ENTRIES if self.size >= MOST_ENTRIES else self.size // 10

    @property
    def blocks(self) -> int:
        """Return how many different listings there are before they repeat."""
        return min(MOST_BLOCKS, self.size)

    @property
    def stride(self) -> int:
        """Return of how many accounts one is listed."""
        return 2 if self.entries >= 5 * self.accounts else 10

    @property
    def listed(self) -> int:
        """Return how many accounts are on the list."""
        return self.accounts // self.stride

    @property
    def slot(self) -> int:
        """Return how many trades fall due for one round of the sweep."""
        return self.size // 100

    def is_listed(self, account_id: int) -> bool:
        """Tell whether an account is on the list."""
        return account_id % self.stride == 0

    def free(self, number):
        """Return the id of an account in good standing, by any number from 0."""
        inner = self.stride - 1
        among = number % (self.accounts - self.listed)
        return among // inner * self.stride + among % inner + 1

    def slot_at(self, turn: int) -> datetime:
        """Return when the sweep of a round finds its trades due, and no later ones."""
        return self.at - timedelta(seconds=(ROUNDS - turn) * SLOT_S - SLOT_S + 60)

    def before_any_is_due(self) -> datetime:
        """Return a moment at which the sweep finds nothing."""
        return self.at - timedelta(seconds=(ROUNDS + 1) * SLOT_S)
