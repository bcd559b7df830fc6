"""What is known of a parcel that did not come in time."""

from enum import StrEnum

from tradeboard.core.records import dataclass


class Finding(StrEnum):
    """The code that stands on an entry; words are made from it, never free text."""

    NEVER_DISPATCHED = "never_dispatched"
    WITHHELD = "withheld"
    NOT_RECEIVED_UNTRACKED = "not_received_untracked"
    NOT_RECEIVED_TRACKED = "not_received_tracked"
    CONTESTED = "contested"
    COUNTERPARTY_IN_DEFAULT = "counterparty_in_default"
    NOT_AS_AGREED = "not_as_agreed"
    BY_HAND = "by_hand"


@dataclass(frozen=True)
class Parcel:
    """The facts of one leg at its due instant."""

    sent: bool
    received: bool
    tracked: bool = False
    contested: bool = False
    withheld: bool = False


def in_default(parcel: Parcel) -> bool:
    """Tell whether the sender has nothing to show for a missing parcel.

    His own leg was never sent (withheld or not), or is missing and not contested.
    """
    if parcel.received:
        return False
    return not parcel.sent or not parcel.contested


def finding(parcel: Parcel, other: Parcel) -> Finding | None:
    """Say what is known of a parcel; `other` is what its recipient had to send (B-05).

    The rows are tried from the bottom up: a received parcel is never found missing, and
    a defaulter's silence proves nothing against his partner.
    """
    if parcel.received:
        return None
    if not parcel.sent:
        return Finding.WITHHELD if parcel.withheld else Finding.NEVER_DISPATCHED
    if in_default(other):
        return Finding.COUNTERPARTY_IN_DEFAULT
    if parcel.contested:
        return Finding.CONTESTED
    tracked = parcel.tracked
    return Finding.NOT_RECEIVED_TRACKED if tracked else Finding.NOT_RECEIVED_UNTRACKED
