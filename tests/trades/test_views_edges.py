"""What happens beside a trade: an edited listing, a default, files nobody named."""

from datetime import timedelta

import pytest

from tests import pages
from tests.trades import rooms
from tests.trades.test_views_shipping import picture
from tests.worlds import make_trade
from tradeboard.core import clock, photo_store
from tradeboard.core.transaction import transaction
from tradeboard.trades import jobs, photos
from tradeboard.trades.rules.states import Party
from tradeboard.trades.services import overdue

A_DAY = timedelta(days=1)


def test_an_edited_listing_makes_it_the_proposers_turn_and_shows_the_difference(
    log_in, alice, bob
):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    listing_id = rooms.get(trade_id).listing_id
    url = f"/listings/{listing_id}/edit"

    answer = pages.submit(
        hers,
        url,
        button="do=change",
        **{"want-0-name": "白銀の盾", "ships_from": "13"},
    )

    assert answer.status_code == 303, pages.text(answer.text)
    assert rooms.get(trade_id).turn is Party.PROPOSER
    room = pages.text(pages.get(his, f"/trades/{trade_id}"))
    assert "募集の内容が変わりました" in room
    assert "白銀の盾" in room


def test_after_a_default_the_room_stays_calm_and_shows_the_ways_on(log_in, alice, bob):
    trade = make_trade(alice, bob, sent_by=[alice], at=clock.now() - 15 * A_DAY)
    with transaction():
        overdue.default(trade.id, now=clock.now())
    hers, his = trade.leg_from(alice.id).id, trade.leg_from(bob.id).id

    alices = pages.get(log_in(alice), f"/trades/{trade.id}")
    bobs = pages.get(log_in(bob), f"/trades/{trade.id}")

    assert f"/trades/legs/{his}/late-receipt" in alices
    assert f"/trades/legs/{his}/late-dispatch" in bobs
    assert f"/trades/legs/{hers}/late-receipt" in bobs
    for page in (alices, bobs):
        assert "詐欺" not in page
        assert "！" not in pages.text(page)


def test_files_that_no_parcel_names_are_deleted_after_a_day(log_in, app, alice, bob):
    trade = make_trade(alice, bob, at=clock.now() - A_DAY)
    hers, url = log_in(alice), f"/trades/{trade.id}/dispatch"
    action = f"/trades/legs/{trade.leg_from(alice.id).id}/dispatch"
    number = "4444-1375-8703"
    pages.submit(hers, url, action, tracking=number, photo=picture())
    kept = rooms.get(trade.id).leg_from(alice.id).proofs[0].id
    stray = photos.accept(picture()[0].read(), photo_store.of(app.config))
    stored = photo_store.of(app.config).within(photos.SUBFOLDER)

    jobs.clean_proofs(clock.now() + timedelta(hours=23))
    assert stored.length(stray.id, 480) is not None
    jobs.clean_proofs(clock.now() + timedelta(hours=25))

    assert stored.length(stray.id, 480) is None
    assert stored.length(kept, 480) is not None


@pytest.mark.parametrize("page", ["", "/help", "/dispatch", "/receive", "/call"])
def test_every_page_reads_in_english(log_in, alice, bob, page):
    trade = make_trade(alice, bob, sent_by=[alice, bob], at=clock.now() - 3 * A_DAY)
    client = log_in(alice)
    client.set_cookie("language", "en")

    text = client.get(f"/trades/{trade.id}{page}", follow_redirects=True).text

    assert 'lang="en"' in text
    said = pages.text(text).replace("日本語", "")
    cards = ("蒼天の竜", "紅蓮の騎士", "東京都千代田区一丁目一番", "星霜のカード")
    for card in cards:
        said = said.replace(card, "")
    japanese = [sign for sign in said if "\u3040" <= sign <= "\u30ff"]
    assert japanese == [], said
