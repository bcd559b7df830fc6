from itertools import product

import pytest

from tradeboard.trades.rules.findings import Finding, Parcel, finding, in_default

RECEIVED = Parcel(sent=True, received=True)
NEVER_SENT = Parcel(sent=False, received=False)
HELD_BACK = Parcel(sent=False, received=False, withheld=True)
UNTRACKED = Parcel(sent=True, received=False)
TRACKED = Parcel(sent=True, received=False, tracked=True)
PROVEN = Parcel(sent=True, received=False, tracked=True, contested=True)
PHOTOGRAPHED = Parcel(sent=True, received=False, contested=True)

TABLE = [
    (NEVER_SENT, RECEIVED, Finding.NEVER_DISPATCHED),
    (NEVER_SENT, UNTRACKED, Finding.NEVER_DISPATCHED),
    (NEVER_SENT, PROVEN, Finding.NEVER_DISPATCHED),
    (HELD_BACK, UNTRACKED, Finding.WITHHELD),
    (HELD_BACK, PROVEN, Finding.WITHHELD),
    (UNTRACKED, RECEIVED, Finding.NOT_RECEIVED_UNTRACKED),
    (UNTRACKED, PROVEN, Finding.NOT_RECEIVED_UNTRACKED),
    (TRACKED, RECEIVED, Finding.NOT_RECEIVED_TRACKED),
    (TRACKED, PROVEN, Finding.NOT_RECEIVED_TRACKED),
    (PROVEN, RECEIVED, Finding.CONTESTED),
    (PHOTOGRAPHED, RECEIVED, Finding.CONTESTED),
    (PROVEN, PROVEN, Finding.CONTESTED),
    (UNTRACKED, NEVER_SENT, Finding.COUNTERPARTY_IN_DEFAULT),
    (TRACKED, HELD_BACK, Finding.COUNTERPARTY_IN_DEFAULT),
    (TRACKED, TRACKED, Finding.COUNTERPARTY_IN_DEFAULT),
    (PROVEN, NEVER_SENT, Finding.COUNTERPARTY_IN_DEFAULT),
    (PROVEN, UNTRACKED, Finding.COUNTERPARTY_IN_DEFAULT),
    (RECEIVED, NEVER_SENT, None),
    (RECEIVED, UNTRACKED, None),
]


@pytest.mark.parametrize(("parcel", "other", "found"), TABLE)
def test_what_is_known_of_a_missing_parcel(parcel, other, found):
    assert finding(parcel, other) is found


def parcels():
    for sent, received, tracked, contested, withheld in product(
        (True, False), repeat=5
    ):
        if sent and not withheld or not sent and not (received or tracked or contested):
            yield Parcel(sent, received, tracked, contested, withheld)


def test_a_received_parcel_never_makes_an_entry():
    for parcel, other in product(parcels(), parcels()):
        assert (finding(parcel, other) is None) == parcel.received


def test_whoever_is_in_default_never_has_the_other_side_listed():
    listed = {
        Finding.NEVER_DISPATCHED,
        Finding.NOT_RECEIVED_TRACKED,
        Finding.NOT_RECEIVED_UNTRACKED,
    }
    for parcel, other in product(parcels(), parcels()):
        if parcel.sent and in_default(other):
            assert finding(parcel, other) not in listed
