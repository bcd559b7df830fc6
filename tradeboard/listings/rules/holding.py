"""What waits for a moderator before the board shows it: what comes in masses."""

from datetime import timedelta
from enum import StrEnum

from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass


class Held(StrEnum):
    """Why a listing waits: too many, too alike, or alike from one network."""

    PACE = "pace"
    TEXT = "text"
    NETWORK = "network"


WHY: dict[Held, Message] = {
    Held.PACE: message("短い時間にたくさんの募集が出されたためです。"),
    Held.TEXT: message("同じ内容の募集がくり返し出されたためです。"),
    Held.NETWORK: message("同じ内容の募集が続けて届いたためです。"),
}

AN_HOUR = timedelta(hours=1)
MOST_AN_HOUR = 8
SAME_FOR = timedelta(days=7)
MOST_OF_ONE_TEXT = 3
YOUNG_FOR = timedelta(days=14)
MOST_OF_ONE_NETWORK = 2
KNOWN_AFTER = timedelta(days=30)


@dataclass(frozen=True)
class Lately:
    """How often there was something like it before this one.

    `of_others` counts other young accounts that said the same from the same network.
    """

    in_an_hour: int
    of_this_text: int
    of_others: int


def why(age: timedelta, ended_trades: int, lately: Lately) -> Held | None:
    """Return why a listing waits that is new, or says something else now, or None.

    Nothing waits of whoever is known here.
    """
    if age >= KNOWN_AFTER and ended_trades > 0:
        return None
    if age < YOUNG_FOR and lately.of_others >= MOST_OF_ONE_NETWORK:
        return Held.NETWORK
    if lately.of_this_text >= MOST_OF_ONE_TEXT:
        return Held.TEXT
    if lately.in_an_hour >= MOST_AN_HOUR:
        return Held.PACE
    return None
