from datetime import timedelta

import pytest

from tests import pages
from tests.trades import rooms
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.listings.models import Line
from tradeboard.listings.rules import Side
from tradeboard.trades import jobs
from tradeboard.trades.rules.states import TradeState

A_MOMENT = timedelta(microseconds=1)


@pytest.fixture
def agreed(log_in, alice, bob):
    """A trade that both agreed on, and the browsers of the two."""
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    assert rooms.accept(hers, trade_id).status_code == 303
    return trade_id, hers, his


def is_nobodys_fault(trade_id, people, *clients):
    """Tell whether both read so, nothing is held against them, and cards are free."""
    trade = rooms.get(trade_id)
    assert trade.state is TradeState.CANCELLED
    assert all(
        line.free == 1
        for line in db.session.query(Line).filter(
            Line.listing_id == trade.listing_id, Line.side == Side.HAVE
        )
    )
    for person in people:
        db.session.refresh(person)
        assert (person.late_count, person.standing) == (0, "good")
    for client in clients:
        page = client.get(f"/trades/{trade_id}").text
        assert "どちらの落ち度にもなりません" in page
        assert rooms.NUMBERS[0] not in page
        assert rooms.NUMBERS[1] not in page
        assert "いま、することはありません" in client.get("/todo").text


def test_no_call_in_seven_days(agreed, alice, bob):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    limit = rooms.get(trade_id).call_by

    db.session.rollback()
    assert jobs.cancel_quiet_trades(limit - A_MOMENT).done == 0
    db.session.rollback()
    assert jobs.cancel_quiet_trades(limit).done == 1

    is_nobodys_fault(trade_id, (alice, bob), hers, his)


def test_no_dispatch_in_seven_days(agreed, alice, bob):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    rooms.confirm_call(trade_id, hers, his)
    limit = rooms.get(trade_id).dispatch_by

    db.session.rollback()
    assert jobs.cancel_quiet_trades(limit).done == 1

    is_nobodys_fault(trade_id, (alice, bob), hers, his)
    assert rooms.ADDRESSES[1] not in hers.get(f"/trades/{trade_id}/dispatch").text


def test_both_want_to_cancel(agreed, alice, bob):
    trade_id, hers, his = agreed
    url = f"/trades/{trade_id}/help"

    asked = pages.submit(
        hers, url, f"/trades/{trade_id}/proposals", button="取り消しを提案する"
    )
    assert asked.status_code == 303
    agreed_to = pages.submit(his, f"/trades/{trade_id}", button="answer=agree")
    assert agreed_to.status_code == 303

    is_nobodys_fault(trade_id, (alice, bob), hers, his)


def test_one_wants_to_cancel_and_the_other_is_silent_for_three_days(agreed, alice, bob):
    trade_id, hers, his = agreed
    url = f"/trades/{trade_id}/help"
    pages.submit(
        hers, url, f"/trades/{trade_id}/proposals", button="取り消しを提案する"
    )

    later = clock.now() + timedelta(days=3, minutes=1)
    db.session.rollback()
    assert jobs.settle_silent_proposals(later).done == 1

    is_nobodys_fault(trade_id, (alice, bob), hers, his)
