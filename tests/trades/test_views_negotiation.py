from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from sqlalchemy import select

from tests import pages
from tests.factories import count, make_account
from tests.trades import rooms
from tests.worlds import CARD, make_listing
from tradeboard.core.db import db
from tradeboard.listings.models import Line
from tradeboard.listings.rules import Side
from tradeboard.trades.models import OfferVersion, Trade
from tradeboard.trades.rules.states import TradeState


def test_a_stranger_who_wants_to_offer_logs_in_and_comes_back(app, alice):
    listing = make_listing(alice)

    answer = app.test_client().get(f"/listings/{listing.id}/offer")

    assert answer.status_code == 303
    assert f"next=/listings/{listing.id}/offer" in answer.location


def test_an_offer_is_filled_from_the_listing(log_in, alice, bob):
    trade_id = rooms.propose(alice, log_in(bob))

    offer = rooms.get(trade_id).offers[0]
    assert [(line.giver, line.name, line.quantity) for line in offer.lines] == [
        ("poster", CARD, 1),
        ("proposer", "紅蓮の騎士", 1),
    ]


def test_a_row_is_added_without_losing_what_was_typed(log_in, alice, bob):
    listing, client = make_listing(alice), log_in(bob)
    url = f"/listings/{listing.id}/offer"
    fields = {"note": "まだ途中です", "proposer-1-name": "白銀の盾"}

    answer = pages.submit(client, url, button="do=add", **fields)

    assert answer.status_code == 200
    assert "まだ途中です" in answer.text
    assert "proposer-2-name" in answer.text
    sent = pages.send(client, url, answer.text, button="do=send")
    assert len(rooms.get(rooms.number_in(sent.location)).offers[0].lines) == 3


def test_an_offer_of_nothing_says_what_is_missing(log_in, alice, bob):
    listing = make_listing(alice)
    fields = {"poster-0-quantity": "0", "note": "これで"}

    answer = pages.submit(
        log_in(bob), f"/listings/{listing.id}/offer", button="do=send", **fields
    )

    assert answer.status_code == 422
    assert "どちらの側も1点以上" in answer.text
    assert "これで" in answer.text


def test_more_than_there_are_is_refused(log_in, alice, bob):
    listing = make_listing(alice)

    answer = pages.submit(
        log_in(bob),
        f"/listings/{listing.id}/offer",
        button="do=send",
        **{"poster-0-quantity": "２"},
    )

    assert answer.status_code == 422
    assert "残りは1枚" in answer.text


def test_a_sub_address_in_a_note_is_refused_and_the_note_stays(log_in, alice, bob):
    listing = make_listing(alice)
    note = "連絡は bob+cards@example.com へ"

    answer = pages.submit(
        log_in(bob), f"/listings/{listing.id}/offer", button="do=send", note=note
    )

    assert answer.status_code == 422
    assert note in answer.text
    assert count(Trade) == 0


def test_terms_are_asked_at_the_first_offer_and_nothing_typed_is_lost(log_in, alice):
    newcomer = make_account("newcomer", agreed=False)
    listing, client = make_listing(alice), log_in(newcomer)
    url = f"/listings/{listing.id}/offer"

    asked = pages.submit(client, url, button="do=send", note="はじめまして")
    assert asked.status_code == 200
    assert count(Trade) == 0
    form = pages.find_form(asked.text, url)
    sent = client.post(url, data=form.values() | {"agree_terms": "1"})

    assert sent.status_code == 303, pages.text(sent.text)
    trade = rooms.get(rooms.number_in(sent.location))
    assert trade.offers[0].note == "はじめまして"


def test_a_double_click_makes_one_offer_and_leads_to_the_same_page(log_in, alice, bob):
    listing, client = make_listing(alice), log_in(bob)
    url = f"/listings/{listing.id}/offer"
    page = pages.get(client, url)

    first = pages.send(client, url, page, button="do=send")
    second = pages.send(client, url, page, button="do=send")

    assert first.location == second.location
    assert count(Trade) == 1


def test_one_form_sent_twice_at_once_and_after_back_makes_one_offer(
    app, log_in, alice, bob
):
    """Scenario 27."""
    listing = make_listing(alice)
    url = f"/listings/{listing.id}/offer"
    tabs = [log_in(bob), app.test_client()]
    fields = pages.form_fields(pages.get(tabs[0], url), url) | {"do": "send"}
    tabs[1].set_cookie("session", tabs[0].get_cookie("session").value)
    db.session.rollback()
    barrier = Barrier(2, timeout=20)

    def press(tab):
        with app.app_context():
            barrier.wait()
            return tab.post(url, data=fields)

    with ThreadPoolExecutor(2) as pool:
        at_once = list(pool.map(press, tabs))
    # Back, and sent again: also with another word in it.
    back = [
        tabs[0].post(url, data=fields | more) for more in ({}, {"note": "もう一度"})
    ]

    assert [answer.status_code for answer in (*at_once, *back)] == [303] * 4
    assert len({answer.location for answer in (*at_once, *back)}) == 1
    assert count(Trade) == 1


def test_a_counter_says_that_both_acceptances_end_and_shows_the_change(
    log_in, alice, bob
):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    url = f"/trades/{trade_id}/counter"

    assert "白紙に戻ります" in pages.get(hers, url)
    sent = pages.submit(hers, url, button="do=send", **{"proposer-0-quantity": "2"})

    assert sent.status_code == 303
    room = pages.text(pages.get(his, f"/trades/{trade_id}"))
    assert "枚数を 1 から 2 に変えました" in room
    assert "あなたの返事待ち" in room


def test_a_stale_acceptance_is_409_with_the_difference(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    room = f"/trades/{trade_id}"
    old = pages.get(hers, room)
    counter = f"{room}/counter"
    pages.submit(hers, counter, button="do=send", **{"proposer-0-quantity": "2"})
    pages.submit(his, counter, button="do=send", **{"proposer-0-quantity": "3"})

    answer = pages.send(hers, room, old, f"{room}/accept")

    assert answer.status_code == 409
    assert "1 から 3 に変えました" in pages.text(answer.text)
    assert rooms.get(trade_id).state is TradeState.NEGOTIATING


def test_a_stale_counter_keeps_what_was_typed(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    url = f"/trades/{trade_id}/counter"
    old = pages.get(hers, url)
    pages.submit(hers, url, button="do=send", **{"proposer-0-quantity": "2"})
    pages.submit(his, url, button="do=send", **{"proposer-0-quantity": "3"})

    answer = pages.send(hers, url, old, button="do=send", note="古い画面から")

    assert answer.status_code == 409
    assert "古い画面から" in answer.text
    assert count(OfferVersion) == 3


def test_an_acceptance_pressed_twice_reserves_once(log_in, alice, bob):
    hers = log_in(alice)
    trade_id = rooms.propose(alice, log_in(bob), quantity=3)
    room = f"/trades/{trade_id}"
    page = pages.get(hers, room)

    for _ in range(2):
        assert pages.send(hers, room, page, f"{room}/accept").status_code == 303

    line = db.session.scalar(select(Line).where(Line.side == Side.HAVE))
    assert line.free == 2
    assert rooms.get(trade_id).state is TradeState.AGREED


def test_each_side_says_no_in_its_own_words(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    declined, withdrawn = rooms.propose(alice, his), rooms.propose(alice, his)

    room = f"/trades/{declined}"
    assert pages.submit(hers, room, f"{room}/decline").status_code == 303
    room = f"/trades/{withdrawn}"
    assert pages.submit(his, room, f"{room}/withdraw").status_code == 303

    assert rooms.get(declined).state is TradeState.DECLINED
    assert rooms.get(withdrawn).state is TradeState.WITHDRAWN
    assert "募集した側が見送りました" in pages.get(his, f"/trades/{declined}")


def test_a_message_reaches_the_partner_as_it_was_written(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    room = f"/trades/{trade_id}"

    answer = pages.submit(
        hers, room, f"{room}/messages", text="<b>こんにちは</b>\n次の行"
    )

    assert answer.status_code == 303
    assert "&lt;b&gt;こんにちは&lt;/b&gt;<br>次の行" in pages.get(his, room)


def test_a_foreign_address_in_a_message_is_refused_and_the_text_stays(
    log_in, alice, bob
):
    hers = log_in(alice)
    room = f"/trades/{rooms.propose(alice, log_in(bob))}"
    text = "こちらへ alice+trade@example.com"

    answer = pages.submit(hers, room, f"{room}/messages", text=text)

    assert answer.status_code == 422
    assert text in answer.text


def test_messages_come_fifty_a_page(log_in, alice, bob, monkeypatch):
    monkeypatch.setattr("tradeboard.trades.views.room.MESSAGES", 2)
    hers = log_in(alice)
    room = f"/trades/{rooms.propose(alice, log_in(bob))}"
    for n in range(3):
        pages.submit(hers, room, f"{room}/messages", text=f"{n}番目の話")

    newest = pages.get(hers, room)

    assert "0番目の話" not in newest
    assert "前のメッセージを見る" in newest
    assert "0番目の話" in pages.get(hers, f"{room}?before=2")
