"""How many statements the forms may cost that are sent most."""

from datetime import timedelta

import pytest

from tests import pages
from tests.listings import boards
from tests.trades import rooms
from tests.worlds import make_listing, make_trade
from tradeboard.core import clock

A_DAY = timedelta(days=1)
CARD = {"name": "蒼天の竜", "condition": "A", "language": "ja", "quantity": "1"}
TYPED = {
    "have": [CARD],
    "want": [{**CARD, "name": "紅蓮の騎士", "condition": ""}],
    "ships_from": "13",
    "ships_to": "domestic",
}
SENT_BEFORE = 2  # A browser is known, and statements are compiled.


def post_listing(alice, bob, log_in):
    """Return how to post a draft that is ready."""
    client = log_in(alice)

    def turn():
        url = f"/listings/drafts/{boards.draft(alice, TYPED, now=clock.now())}"
        return client, f"{url}/review", f"{url}/post", {}

    return turn


def post_offer(alice, bob, log_in):
    """Return how to offer for a fresh listing."""
    client = log_in(bob)

    def turn():
        url = f"/listings/{make_listing(alice).id}/offer"
        return client, url, None, {"button": "do=send"}

    return turn


def post_dispatch(alice, bob, log_in):
    """Return how to send the first parcel of a fresh trade."""
    client = log_in(alice)

    def turn():
        trade = make_trade(alice, bob, at=clock.now() - A_DAY)
        url = f"/trades/{trade.id}/dispatch"
        action = f"/trades/legs/{rooms.leg_id(client, url, 'dispatch')}/dispatch"
        return client, url, action, {"carrier": "yamato", "tracking": "4444-1375-8703"}

    return turn


@pytest.mark.parametrize(
    ("way", "most"), [(post_listing, 10), (post_offer, 15), (post_dispatch, 11)]
)
def test_a_form_costs_few_statements(way, most, alice, bob, log_in, statements):
    turn = way(alice, bob, log_in)
    for time in range(SENT_BEFORE + 1):
        client, url, action, fields = turn()
        page = pages.get(client, url)
        with statements() as seen:
            answer = pages.send(client, url, page, action, **fields)
        assert answer.status_code == 303, (time, pages.text(answer.text))

    assert len(seen) <= most, "\n".join(seen)
