import io
from datetime import timedelta

import pytest

from tests import pages, pictures
from tests.factories import count
from tests.trades import rooms
from tests.worlds import make_trade
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.trades.models import Message, TradeEvent
from tradeboard.trades.rules.states import LegState, TradeState

A_DAY = timedelta(days=1)
TRACKED = "4444-1375-8703"


def picture():
    """Return a small photo as a form sends it."""
    return io.BytesIO(pictures.jpeg("green")), "伝票.jpg"


@pytest.fixture
def ready(alice, bob):
    """A trade whose call is confirmed."""
    return make_trade(alice, bob, at=clock.now() - A_DAY).id


def shipped(alice, bob, *, days=3, sent_by=None):
    """Return a trade whose parcels have been on their way for some days."""
    return make_trade(
        alice,
        bob,
        sent_by=sent_by or [alice, bob],
        at=clock.now() - days * A_DAY,
        tracking=TRACKED,
    ).id


def test_full_width_numbers_start_the_clock(log_in, alice, ready):
    answer = rooms.dispatch(
        log_in(alice), ready, tracking="４４４４－１３７５－８７０３"
    )

    assert answer.status_code == 303
    trade = rooms.get(ready)
    assert trade.state is TradeState.SHIPPED
    assert trade.due_at == trade.first_dispatched_at + timedelta(days=14)
    room = pages.text(pages.get(log_in(alice), f"/trades/{ready}"))
    assert "日本時間" in room


def test_no_tracking_asks_again_before_it_is_recorded(log_in, alice, ready):
    hers = log_in(alice)

    asked = rooms.dispatch(hers, ready, carrier="none", tracking="")
    assert asked.status_code == 200
    assert "追跡なしで記録しますか" in asked.text
    assert rooms.get(ready).state is TradeState.PHONE_CONFIRMED
    url = f"/trades/{ready}/dispatch"
    answer = pages.send(hers, url, asked.text, button="sure=yes")

    assert answer.status_code == 303
    assert rooms.get(ready).state is TradeState.SHIPPED


def test_a_wrong_check_digit_warns_and_is_kept(log_in, alice, ready):
    hers = log_in(alice)

    asked = rooms.dispatch(hers, ready, tracking="4444-1375-8704")
    assert "検算が合いません" in asked.text
    url = f"/trades/{ready}/dispatch"
    assert pages.send(hers, url, asked.text, button="sure=yes").status_code == 303

    assert rooms.get(ready).leg_from(alice.id).tracking == "444413758704"


def test_a_missing_number_keeps_the_photo(log_in, alice, bob, charlie, ready):
    hers = log_in(alice)
    url = f"/trades/{ready}/dispatch"
    leg = rooms.leg_id(hers, url, "dispatch")
    action = f"/trades/legs/{leg}/dispatch"

    refused = pages.submit(hers, url, action, tracking="", photo=picture())
    assert refused.status_code == 422
    assert "写真1枚を預かっています" in refused.text
    answer = pages.send(hers, url, refused.text, action, tracking=TRACKED)

    assert answer.status_code == 303
    proof = rooms.get(ready).leg_from(alice.id).proofs[0]
    photo = f"/proofs/{proof.id}-480.jpg"
    seen = log_in(bob).get(photo)
    assert seen.status_code == 200
    assert seen.headers["Cache-Control"] == "private, no-store"
    assert log_in(charlie).get(photo).status_code == 404
    assert hers.get(f"/proofs/{proof.id}-481.jpg").status_code == 404


def test_a_dispatch_pressed_twice_happens_once(log_in, alice, ready):
    hers = log_in(alice)
    url = f"/trades/{ready}/dispatch"
    page = pages.get(hers, url)
    action = f"/trades/legs/{rooms.leg_id(hers, url, 'dispatch')}/dispatch"

    answers = [pages.send(hers, url, page, action, tracking=TRACKED) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].location == answers[1].location


def test_a_slip_is_undone_within_the_hour(log_in, alice, ready):
    hers = log_in(alice)
    rooms.dispatch(hers, ready)
    leg = rooms.get(ready).leg_from(alice.id)

    answer = pages.submit(hers, f"/trades/{ready}/help", f"/trades/legs/{leg.id}/undo")

    assert answer.status_code == 303
    trade = rooms.get(ready)
    assert trade.state is TradeState.PHONE_CONFIRMED
    assert trade.due_at is None


def test_a_difference_needs_words_and_keeps_the_choice(log_in, alice, bob):
    trade_id, hers = shipped(alice, bob), log_in(alice)

    refused = rooms.receive(hers, trade_id, condition="differs")
    assert refused.status_code == 422
    assert "何が違うかを書いてください" in refused.text
    form = pages.find_form(refused.text, names={"condition"})
    assert form.values()["condition"] == "differs"

    answer = rooms.receive(
        hers, trade_id, condition="differs", words="角が折れています"
    )
    assert answer.status_code == 303
    assert "内容相違" in pages.get(hers, f"/trades/{trade_id}")
    assert "角が折れています" in pages.get(log_in(bob), f"/trades/{trade_id}")


def test_a_moderator_closes_a_difference(log_in, alice, bob, moderator):
    trade_id, hers = shipped(alice, bob), log_in(alice)
    rooms.receive(log_in(bob), trade_id)
    rooms.receive(hers, trade_id, condition="differs", words="角が折れています")
    leg = rooms.get(trade_id).leg_from(bob.id)
    desk = f"/desk/trades/{trade_id}"

    answer = pages.submit(log_in(moderator), desk, f"/desk/trades/legs/{leg.id}/solve")

    assert answer.status_code == 303
    assert rooms.get(trade_id).state is TradeState.RECEIVED


def test_a_day_that_is_none_is_refused_and_nothing_else_lost(log_in, alice, bob):
    trade_id = shipped(alice, bob)

    answer = rooms.receive(
        log_in(alice), trade_id, arrived_on="昨日", words="まだ途中の文"
    )

    assert answer.status_code == 422
    assert "昨日" in answer.text
    assert "まだ途中の文" in answer.text


def test_a_delivery_is_claimed_with_a_checked_number(log_in, alice, bob):
    trade_id, hers = shipped(alice, bob), log_in(alice)
    leg = rooms.get(trade_id).leg_from(alice.id)

    answer = pages.submit(
        hers, f"/trades/{trade_id}/help", f"/trades/legs/{leg.id}/contest"
    )

    assert answer.status_code == 303
    assert rooms.get(trade_id).leg_from(alice.id).contested_at is not None
    assert "配達の申し出あり" in pages.get(log_in(bob), f"/trades/{trade_id}")


def test_holding_back_is_offered_only_while_the_other_parcel_is_missing(
    log_in, alice, bob, ready
):
    hers = log_in(alice)
    assert "見合わせていることを記録する" not in pages.get(
        hers, f"/trades/{ready}/help"
    )
    trade_id = shipped(alice, bob, sent_by=[bob])
    leg = rooms.get(trade_id).leg_from(alice.id)

    answer = pages.submit(
        hers, f"/trades/{trade_id}/help", f"/trades/legs/{leg.id}/withhold"
    )

    assert answer.status_code == 303
    assert rooms.get(trade_id).leg_from(alice.id).withheld_at is not None


def test_both_agree_on_seven_more_days(log_in, alice, bob):
    trade_id, hers, his = shipped(alice, bob), log_in(alice), log_in(bob)
    before = rooms.get(trade_id).due_at
    url = f"/trades/{trade_id}/help"

    asked = pages.submit(
        hers, url, f"/trades/{trade_id}/proposals", button="7日延ばすことを提案する"
    )
    assert asked.status_code == 303
    room = f"/trades/{trade_id}"
    assert "7日延ばす提案に答える" in pages.get(his, room)
    answer = pages.submit(his, room, button="answer=agree")

    assert answer.status_code == 303
    assert rooms.get(trade_id).due_at == before + timedelta(days=7)


def test_settling_without_words_says_what_is_missing(log_in, alice, bob):
    trade_id = shipped(alice, bob)

    answer = pages.submit(
        log_in(alice),
        f"/trades/{trade_id}/help",
        f"/trades/{trade_id}/proposals",
        button="解決を提案する",
    )

    assert answer.status_code == 422
    assert "どう解決するかを書いてください" in answer.text


def test_after_the_due_instant_the_room_only_says_that_it_is_checked(
    log_in, alice, bob
):
    trade_id, hers = shipped(alice, bob, days=15), log_in(alice)

    room = pages.get(hers, f"/trades/{trade_id}")

    assert "結果を確認しています" in room
    assert f"/trades/{trade_id}/receive" not in room
    late = rooms.receive(hers, trade_id)
    assert late.status_code == 409
    assert rooms.get(trade_id).leg_from(bob.id).state is LegState.DISPATCHED


def test_only_the_sender_may_dispatch(log_in, alice, bob, ready):
    leg = rooms.get(ready).leg_from(alice.id)
    his = log_in(bob)
    url = f"/trades/{ready}/dispatch"
    form = pages.find_form(pages.get(his, url), names={"carrier"})

    answer = his.post(f"/trades/legs/{leg.id}/dispatch", data=form.values())

    assert answer.status_code == 403


def test_the_slower_of_two_people_changes_nothing(log_in, alice, bob, overtake):
    trade_id, hers = shipped(alice, bob), log_in(alice)

    overtake()
    answer = rooms.receive(hers, trade_id)

    assert answer.status_code == 409
    assert rooms.get(trade_id).leg_from(bob.id).state is LegState.DISPATCHED


def test_the_carrier_of_the_last_parcel_is_chosen_already(log_in, alice, bob, ready):
    hers = log_in(alice)
    rooms.dispatch(hers, ready, carrier="sagawa", tracking="5125-4751-4334")
    again = make_trade(alice, bob, at=clock.now() - A_DAY).id

    page = pages.get(hers, f"/trades/{again}/dispatch")

    assert pages.find_form(page, names={"carrier"}).values()["carrier"] == "sagawa"


@pytest.mark.parametrize(
    ("page", "action", "fields"),
    [
        ("receive", "/trades/legs/{leg}/receipt", {"condition": "as_agreed"}),
        ("help", "/trades/{trade}/proposals", {"words": "遅れています"}),
        ("help", "/trades/legs/{own}/contest", {}),
        ("", "/trades/{trade}/messages", {"text": "こんばんは"}),
    ],
)
def test_each_button_pressed_twice_has_one_effect(
    log_in, alice, bob, page, action, fields
):
    trade_id, hers = shipped(alice, bob), log_in(alice)
    trade = rooms.get(trade_id)
    legs = {"leg": trade.leg_from(bob.id).id, "own": trade.leg_from(alice.id).id}
    url = f"/trades/{trade_id}/{page}".rstrip("/")
    html = pages.get(hers, url)
    target = action.format(trade=trade_id, **legs)
    before = count(TradeEvent), count(Message)

    answers = [pages.send(hers, url, html, target, **fields) for _ in range(2)]

    db.session.rollback()
    after = count(TradeEvent), count(Message)
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].location == answers[1].location
    assert sum(after) == sum(before) + 1
