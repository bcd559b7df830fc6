from tests import pages
from tests.trades import rooms
from tradeboard.core.db import db
from tradeboard.trades.rules.states import TradeState


def test_two_people_trade_from_the_offer_to_both_receipts(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    room = f"/trades/{trade_id}"

    countered = pages.submit(
        hers, f"{room}/counter", button="do=send", note="裏面を見ました。"
    )
    assert countered.status_code == 303
    assert "裏面を見ました。" in pages.get(his, room)
    assert rooms.accept(his, trade_id).status_code == 303
    assert rooms.get(trade_id).state is TradeState.AGREED

    rooms.seal_both(trade_id, hers, his)
    assert rooms.NUMBERS[1] in pages.get(hers, f"{room}/call")
    rooms.confirm_call(trade_id, hers, his)
    assert rooms.get(trade_id).state is TradeState.PHONE_CONFIRMED
    assert "大阪市北区二番" in pages.get(hers, f"{room}/dispatch")

    for client in (hers, his):
        assert rooms.dispatch(client, trade_id).status_code == 303
    for client in (his, hers):
        assert rooms.receive(client, trade_id).status_code == 303

    trade = rooms.get(trade_id)
    assert trade.state is TradeState.RECEIVED
    assert trade.caller_id == alice.id
    for person in (alice, bob):
        db.session.refresh(person)
        assert (person.completed_count, person.partner_count) == (1, 1)
        assert (person.on_time_count, person.ended_count) == (1, 1)
    assert "この取引は終わりました" in pages.get(his, room)
    say_how_it_was(hers, room, "bad", "箱がつぶれていました")
    assert "箱がつぶれて" not in pages.get(his, f"{room}/feedback")
    say_how_it_was(his, room, "good", "ありがとうございました")
    assert "箱がつぶれて" in pages.get(his, f"{room}/feedback")
    assert "ありがとうございました" in pages.get(hers, f"/u/{alice.handle}")
    assert "いま、することはありません" in pages.get(hers, "/todo")


def say_how_it_was(client, room, grade, words):
    """Write feedback, look at it once more, send it."""
    url = f"{room}/feedback"
    typed = {"grade": grade, "words": words}
    review = pages.submit(client, url, url, button="do=review", **typed)
    sent = pages.submit(client, review.location, f"{url}/send")
    assert sent.location == url
