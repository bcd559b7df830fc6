"""Each time that a number is shown, its owner can read to whom."""

import re

import pytest

from tests import pages
from tests.trades import rooms
from tests.trades.stages import AGREED_AT, Stage
from tradeboard.audit import services as audit
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries
from tradeboard.trades.services import phone


@pytest.fixture
def revealed(log_in, alice, bob):
    """A trade in which both numbers are open, and the browsers of the two."""
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    rooms.accept(hers, trade_id)
    rooms.seal_both(trade_id, hers, his)
    return trade_id, hers, his


def test_each_owner_reads_to_whom_and_in_which_trade(revealed):
    trade_id, hers, his = revealed

    for client, viewer in ((hers, "bob"), (his, "alice")):
        page = pages.get(client, "/me/reveals")
        words = pages.text(page)
        assert words.count("番号が表示されました") == 1
        assert f"{viewer} さん" in words or f"{viewer}さん" in words
        assert f"/trades/{trade_id}" in page


def test_no_number_stands_there(revealed):
    _, hers, _ = revealed

    page = pages.get(hers, "/me/reveals")

    for number in rooms.NUMBERS:
        assert number not in page
        assert number.replace("-", "")[1:] not in page


def test_one_seal_shows_nothing(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    rooms.accept(hers, trade_id)

    rooms.seal(hers, trade_id, rooms.NUMBERS[0], rooms.ADDRESSES[0])

    assert "まだ一度も表示されていません" in pages.get(hers, "/me/reveals")


def test_others_read_nothing_of_it(revealed, log_in, charlie):
    assert "まだ一度も" in pages.get(log_in(charlie), "/me/reveals")


def test_a_changed_number_is_shown_anew(committed, alice, bob):
    stage = committed(lambda: Stage(alice, bob).revealed())

    def again():
        phone.seal(
            stage.id,
            "070-3123-4567",
            "JP",
            "東京都千代田区 山田",
            by=alice,
            now=AGREED_AT,
        )
        stage.seal(bob, AGREED_AT)

    committed(again)

    assert len(queries.reveals_of(alice.id).rows) == 2
    assert len(queries.reveals_of(bob.id).rows) == 2


def test_many_are_read_in_pages_newest_first(log_in, alice, bob, statements):
    trade_id = rooms.propose(alice, log_in(bob))
    with transaction():
        for _ in range(30):
            reveal = {"trade": trade_id, "viewer": bob.id}
            audit.record(
                queries.REVEAL,
                f"account:{alice.id}",
                by_id=None,
                now=AGREED_AT,
                **reveal,
            )
    client = log_in(alice)

    first = pages.get(client, "/me/reveals")
    link = re.search(r'href="(/me/reveals\?after=[^"]+)"', first)[1]
    second = pages.get(client, link)

    assert first.count("番号が表示されました") == 24
    assert second.count("番号が表示されました") == 6
    assert "after=" not in second
    own = alice.id
    with statements() as seen:
        queries.reveals_of(own)
    assert len(seen) == 2


def test_the_desk_reads_the_rows_too(revealed, log_in, moderator, alice):
    page = pages.get(log_in(moderator), "/desk/audit")

    assert "reveal number" in page
    assert f"account:{alice.id}" in page


def test_the_own_page_and_the_call_lead_there(revealed):
    trade_id, hers, _ = revealed

    for path in ("/me", f"/trades/{trade_id}/call"):
        assert 'href="/me/reveals"' in pages.get(hers, path)
