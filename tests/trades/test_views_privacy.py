import re
from datetime import timedelta

import pytest

from tests import pages
from tests.trades import rooms
from tests.worlds import make_trade
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.notifications.models import OutboxMail

CANARIES = (*rooms.NUMBERS, *rooms.ADDRESSES, "8033334444", "9011112222")


def urls_of(app, trade):
    """Return every address of the pages of a trade, with the way it is opened."""
    gaps = {
        "trade_id": trade.id,
        "leg_id": trade.legs[0].id if trade.legs else 1,
        "proposal_id": 1,
        "listing_id": trade.listing_id,
        "proof_id": "0" * 32,
        "photo_id": "0" * 32,
        "token": "none",
        "width": 480,
    }
    with app.test_request_context():
        adapter = app.url_map.bind("localhost")
        for rule in app.url_map.iter_rules():
            named = {name: gaps[name] for name in rule.arguments if name in gaps}
            if rule.endpoint.startswith("trades.") and named:
                for method in {"GET", "POST"} & rule.methods:
                    yield method, adapter.build(rule.endpoint, named, method=method)


def test_to_an_outsider_no_page_of_a_trade_exists(app, log_in, alice, bob, charlie):
    trade = make_trade(alice, bob, sent_by=[alice], at=clock.now())
    his = log_in(charlie)
    token = pages.find_form(his.get("/").text, "/logout").values()["csrf_token"]

    for method, url in urls_of(app, trade):
        if "/offer" in url:
            continue
        answer = his.open(url, method=method, data={"csrf_token": token})
        assert answer.status_code == 404, (method, url, answer.status_code)


def test_a_stranger_is_sent_to_the_login(app, alice, bob):
    trade = make_trade(alice, bob, at=clock.now())

    for method, url in urls_of(app, trade):
        if method == "GET":
            answer = app.test_client().get(url)
            assert answer.status_code == 303, url
            assert "/login" in answer.location


def seen(client, trade_id):
    """Return all that the pages of a trade tell somebody."""
    told = ""
    for page in ("", "/call", "/dispatch", "/receive", "/help", "/counter"):
        told += client.get(f"/trades/{trade_id}{page}", follow_redirects=True).text
    return told + client.get("/todo").text + client.get("/trades").text


def leaks(text):
    """Return which of the canaries stand in a text."""
    bare = re.sub(r"[-\s]", "", text)
    return {word for word in CANARIES if word in text or word in bare}


@pytest.fixture
def story(log_in, alice, bob):
    """A trade that is agreed on, with the browsers of the two."""
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    rooms.accept(hers, trade_id)
    return trade_id, hers, his


def test_number_and_address_appear_to_the_partner_in_their_states_alone(
    app, log_in, story, charlie, moderator
):
    trade_id, hers, his = story
    others = [log_in(charlie), log_in(moderator), app.test_client()]

    def nobody_else():
        for client in others:
            assert leaks(seen(client, trade_id)) == set()
        desk = others[1].get(f"/desk/trades/{trade_id}")
        assert desk.status_code == 200
        assert leaks(desk.text) == set()

    rooms.seal(hers, trade_id, rooms.NUMBERS[0], rooms.ADDRESSES[0])
    assert leaks(seen(his, trade_id)) == set()
    nobody_else()

    rooms.seal(his, trade_id, rooms.NUMBERS[1], rooms.ADDRESSES[1])
    assert leaks(seen(his, trade_id)) == {rooms.NUMBERS[0], "9011112222"}
    nobody_else()

    rooms.confirm_call(trade_id, hers, his)
    assert leaks(seen(his, trade_id)) == {rooms.ADDRESSES[0]}
    nobody_else()

    for client in (hers, his):
        rooms.dispatch(client, trade_id)
    assert leaks(seen(his, trade_id)) == {rooms.ADDRESSES[0]}
    for client in (hers, his):
        rooms.receive(client, trade_id)
    assert leaks(seen(his, trade_id)) == set()
    assert leaks(seen(hers, trade_id)) == set()
    nobody_else()
    mails = [str(mail.facts) for mail in db.session.query(OutboxMail)]
    assert leaks(" ".join(mails)) == set()


def test_past_its_deadline_the_call_shows_no_number_before_the_job_has_run(
    story, monkeypatch
):
    trade_id, hers, his = story
    rooms.seal_both(trade_id, hers, his)
    later = clock.now() + timedelta(days=7)
    monkeypatch.setattr("tradeboard.trades.views.call.clock.now", lambda: later)

    assert leaks(hers.get(f"/trades/{trade_id}/call").text) == set()
