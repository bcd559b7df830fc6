"""What becomes of an offer when its listing waits for a moderator, and is withdrawn."""

from datetime import timedelta

from tests import pages
from tests.listings import boards
from tests.trades import rooms
from tradeboard.core import clock
from tradeboard.listings.rules import ListingState
from tradeboard.trades.rules.states import TradeState

HELD_PAGE = "運営の確認を待っています"


def test_nobody_agrees_while_a_listing_waits_nor_after_it_was_withdrawn(
    log_in, alice, bob, moderator
):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    listing_id, room = rooms.get(trade_id).listing_id, f"/trades/{trade_id}"
    at = f"/listings/{listing_id}"
    copied = pages.find_form(pages.get(hers, f"{at}/edit"), f"{at}/edit").values()
    said = {"note": "同じ", **_cards(copied)}
    for _ in range(3):
        boards.post(alice, now=clock.now() - timedelta(hours=1), **said)
    before = pages.get(hers, room)

    typed = {"note": "同じ", "ships_from": "40", "ships_to": "domestic"}
    edited = pages.submit(hers, f"{at}/edit", f"{at}/edit", **typed)

    assert edited.status_code == 303
    assert boards.listing(listing_id).held_for == "text"
    assert HELD_PAGE in pages.get(hers, at)
    assert his.get(at).status_code == 404
    for client in (hers, his):
        assert pages.get(client, room)
    agreed = pages.send(hers, room, before, f"{room}/accept")
    assert agreed.status_code == 409

    taken = pages.submit(hers, f"{at}/withdraw", f"{at}/withdraw")

    assert taken.status_code == 303
    assert boards.listing(listing_id).state is ListingState.WITHDRAWN
    for client in (hers, his):
        assert pages.get(client, room)
    assert his.get(at).status_code == 404
    agreed = pages.send(hers, room, before, f"{room}/accept")
    assert agreed.status_code == 409
    assert rooms.get(trade_id).state is TradeState.NEGOTIATING
    assert at not in pages.get(log_in(moderator), "/desk/signals")


def _cards(copied):
    """Return the cards of a listing as its form says them."""
    return {
        side: [
            boards.LineData(
                copied[f"{side}-0-name"], 1, set_code=copied[f"{side}-0-set_code"]
            )
        ]
        for side in ("have", "want")
    }
