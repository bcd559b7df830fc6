"""Read which keys the rows of trades name."""

from collections import Counter
from collections.abc import Callable

from sqlalchemy import Select, func, select

from tradeboard.core import keyring, kids
from tradeboard.trades.models import PhoneSide, Trade
from tradeboard.trades.rules.states import TradeState

# Words are derived as long as the call may be made.
HAS_WORDS = (Trade.state == TradeState.AGREED, Trade.words_round > 0)


def rows_by_key(purpose: str) -> Counter[str]:
    """Return how many rows name each key of a purpose."""
    named: dict[str, Callable[[], list[Select]]] = {
        "phone": lambda: [select(PhoneSide.number_kid)],
        "personal-data": lambda: [
            select(kids.in_sealed(column).label("kid")).where(column.is_not(None))
            for column in (PhoneSide.number, PhoneSide.address)
        ],
        "words": lambda: [_words()],
    }
    return kids.counted(*named[purpose]()) if purpose in named else Counter()


def _words() -> Select:
    """Ask for the keys of words; a round without one is of the key in use."""
    in_use = keyring.ring().kid("words")
    kid = func.coalesce(Trade.words_kid, in_use).label("kid")
    return select(kid).where(*HAS_WORDS)
