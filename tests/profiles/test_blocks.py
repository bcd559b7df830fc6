"""Who is blocked starts nothing new, and is not told."""

import re
from datetime import timedelta

import pytest

from tests import pages
from tests.factories import MONDAY, in_transaction, make_account
from tests.trades import rooms
from tests.worlds import make_listing
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.services import blocking
from tradeboard.core import clock
from tradeboard.core.paging import PAGE_SIZE
from tradeboard.trades.rules.states import TradeState

NEUTRAL = "この人とは、新しい取引を始められません。"


def press(client, verb, handle):
    url = f"/u/{handle}"
    page = pages.get(client, url)
    return pages.send(client, url, page, f"{url}/{verb}")


def test_a_block_is_made_and_ended_on_the_profile(app, log_in, alice, bob):
    hers = log_in(alice)

    assert press(hers, "block", "bob").location == "/u/bob"
    assert accounts.blocks(alice.id, bob.id)
    assert accounts.apart_from(bob.id) == {alice.id}
    assert "ブロックを解除する" in pages.get(hers, "/u/bob")
    assert "bob" in pages.get(hers, "/me/blocks")
    assert "ブロックして" not in pages.get(log_in(bob), "/u/alice")
    assert "ブロックする" not in pages.get(hers, "/u/alice")
    assert "ブロックする" not in pages.get(app.test_client(), "/u/bob")

    assert pages.submit(hers, "/me/blocks", "/u/bob/unblock").status_code == 303
    assert not accounts.blocks(alice.id, bob.id)
    assert "だれもブロックしていません" in pages.get(hers, "/me/blocks")


def test_the_blocked_offer_nothing_and_lose_nothing_they_typed(app, log_in, alice, bob):
    listing = make_listing(alice)
    with in_transaction():
        blocking.block(bob.id, by=alice, now=clock.now())
    his, url = log_in(bob), f"/listings/{listing.id}/offer"

    cards = 'href="/u/{}/cards"'
    assert cards.format("alice") not in pages.get(his, "/u/alice")
    assert cards.format("bob") not in pages.get(log_in(alice), "/u/bob")
    assert cards.format("alice") in pages.get(app.test_client(), "/u/alice")
    answer = pages.submit(his, url, url, button="do=send", note="お願いします")

    assert answer.status_code == 422
    assert NEUTRAL in answer.text
    assert "ブロック" not in pages.text(answer.text)
    assert "お願いします" in answer.text
    assert f"/listings/{listing.id}" in pages.get(his, "/")
    hers, own = log_in(alice), make_listing(bob)
    url = f"/listings/{own.id}/offer"
    refused = pages.submit(hers, url, url, button="do=send")
    assert "ブロックを解除すると、できます" in refused.text


def test_a_negotiation_goes_no_further_but_an_agreed_trade_does(
    app, log_in, alice, bob
):
    hers, his = log_in(alice), log_in(bob)
    agreed = rooms.propose(alice, his)
    assert rooms.accept(hers, agreed).status_code == 303
    open_one = rooms.propose(alice, his)
    pages.submit(hers, f"/trades/{open_one}/counter", button="do=send", note="裏面は")
    press(hers, "block", "bob")

    refused = pages.submit(
        his, f"/trades/{open_one}/counter", button="do=send", note="では"
    )
    assert refused.status_code == 422
    assert NEUTRAL in refused.text
    assert rooms.accept(his, open_one).status_code == 422
    assert rooms.get(open_one).state is TradeState.NEGOTIATING
    url = f"/trades/{open_one}"
    for writer in (his, hers):
        unsaid = pages.submit(writer, url, f"{url}/messages", text="お願いします")
        assert unsaid.status_code == 422

    url = f"/trades/{agreed}"
    said = pages.submit(his, url, f"{url}/messages", text="よろしくお願いします")
    assert said.status_code == 303
    rooms.seal_both(agreed, hers, his)
    withdrawn = pages.submit(his, f"/trades/{open_one}", f"/trades/{open_one}/withdraw")
    assert withdrawn.status_code == 303


@pytest.mark.parametrize("verb", ["block", "unblock"])
def test_nobody_blocks_himself_or_nobody(app, log_in, alice, bob, verb):
    hers = log_in(alice)
    page = pages.get(hers, "/u/bob")
    token = pages.form_fields(page, "/u/bob/block")

    assert hers.post(f"/u/nobody/{verb}", data=token).status_code == 404
    if verb == "block":
        assert hers.post("/u/alice/block", data=token).status_code == 422


def test_many_blocks_stand_on_several_pages(log_in, alice):
    people = [make_account(f"person{n:02}") for n in range(PAGE_SIZE + 1)]
    with in_transaction():
        for n, person in enumerate(people):
            since = MONDAY + timedelta(minutes=n)
            blocking.block(person.id, by=alice, now=since)
    hers = log_in(alice)

    first = pages.get(hers, "/me/blocks")
    (more,) = re.findall(r'href="(/me/blocks\?after=[^"]+)"', first)
    second = pages.get(hers, more)

    assert first.count("/unblock") == PAGE_SIZE
    assert "/u/person00/unblock" not in first
    assert second.count("/unblock") == 1
    assert "/u/person00/unblock" in second
