from itertools import product

import pytest

from tradeboard.trades.rules import carriers
from tradeboard.trades.rules.next_step import Parcel
from tradeboard.trades.rules.phrases import NUDGE, PHRASES, offered
from tradeboard.trades.rules.states import LegState, TradeState

SAMPLES = {
    "yamato": "4444-1375-8703",
    "sagawa": "5125-4751-4334",
    "japanpost": "4055-4842-4886",
    "s10": "RB123456785GB",
    "usps": "0307 1790 0005 2348 3741",
    "ups": "1Z5R89390357567127",
    "fedex": "986578788855",
}


def test_every_state_offers_sentences_that_there_are():
    parcels = [Parcel(state) for state in LegState]

    for state, out, back in product(TradeState, parcels, parcels):
        codes = offered(state, out, back)
        assert codes
        assert len(set(codes)) == len(codes)
        assert set(codes) <= set(PHRASES)
        # Only whose parcel is on its way has something to ask after.
        asks = NUDGE in codes
        assert not asks or out.state is LegState.DISPATCHED


@pytest.mark.parametrize(("carrier", "sample"), SAMPLES.items())
def test_of_all_last_digits_the_right_one_alone_passes(carrier, sample):
    at = max(i for i, c in enumerate(sample) if c.isdigit())
    tried = [sample[:at] + digit + sample[at + 1 :] for digit in "0123456789"]

    right = [number for number in tried if carriers.check(carrier, number)]

    assert right == [sample]
    wide = sample.translate({ord(str(n)): chr(0xFF10 + n) for n in range(10)})
    assert carriers.check(carrier, wide.replace("-", "－")) is True


def test_the_operators_page_takes_the_place_of_the_carriers_own():
    own = {"yamato": "https://track.example/{number}"}

    url = carriers.tracking_url("yamato", SAMPLES["yamato"], templates=own)

    assert url == "https://track.example/444413758703"
    assert carriers.tracking_url("yamato", "none such", templates=own) is None
