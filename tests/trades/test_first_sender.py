from dataclasses import dataclass

import pytest

from tests import pages
from tests.factories import make_account
from tests.trades import rooms
from tests.worlds import make_listing
from tradeboard.trades.rules.first_sender import First, suggest


@dataclass
class Side:
    partner_count: int = 0
    standing: str = "good"


OLD, NEW = Side(3), Side(2)


@pytest.mark.parametrize(
    ("own", "partner", "said", "answered"),
    [
        (NEW, OLD, First.YOU, First.PARTNER),
        (NEW, Side(0), First.TOGETHER, First.TOGETHER),
        (OLD, Side(50), None, None),
        (NEW, Side(3, "listed"), None, None),
        (NEW, Side(3, "suspended"), None, None),
        (NEW, Side(3, "held"), First.YOU, First.PARTNER),
        (Side(0, "listed"), OLD, First.YOU, First.PARTNER),
    ],
)
def test_the_newcomer_sends_first_but_never_to_somebody_barred_in_public(
    own, partner, said, answered
):
    assert suggest(own, partner) is said
    assert suggest(partner, own) is answered


def test_it_is_suggested_where_an_offer_is_made(app, log_in, bob):
    dora, his = make_account("dora", partner_count=7), log_in(bob)
    listing = make_listing(dora)

    assert "あなたが先に送る" in pages.get(his, f"/listings/{listing.id}/offer")
    counter = f"/trades/{rooms.propose(dora, his)}/counter"
    assert "bobさんが先に送る" in pages.text(pages.get(log_in(dora), counter))
    eve = log_in(make_account("eve", partner_count=3))
    assert "先に送る" not in pages.get(eve, f"/listings/{listing.id}/offer")
