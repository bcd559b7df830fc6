"""S1 in a real browser: two people, each with a browser of the own."""

import pytest

from tests.browser import acts, chromium
from tests.trades import rooms
from tradeboard.trades.rules.states import TradeState

pytestmark = pytest.mark.browser


def test_s1_a_trade_ends_well(open_browser):
    hers, his = open_browser(), open_browser(viewport=chromium.DESK)

    trade, trade_id = acts.up_to_the_call(hers, his)
    assert rooms.get(trade_id).state is TradeState.PHONE_CONFIRMED
    acts.dispatch(hers, trade, "４４４４－１３７５－８７０３")
    acts.dispatch(his, trade, "5125-4751-4334")
    acts.receive(his, trade)
    acts.receive(hers, trade)

    assert rooms.get(trade_id).state is TradeState.RECEIVED
    assert hers.get_by_text("受取完了").first.is_visible()
    hers.goto("/u/くろつばさ")
    assert "1件" in hers.locator("main").inner_text()
