"""S1 in a real browser: two people, each with a browser of the own."""

import pytest

from tests.browser import acts, chromium
from tests.browser.keyboard import Keyboard
from tests.trades import rooms
from tradeboard.trades.rules.states import TradeState

pytestmark = pytest.mark.browser


@pytest.fixture(params=["keyboard", "no scripts"])
def two(request, open_browser):
    """Return two people and whether their browsers run scripts."""
    scripts = request.param == "keyboard"
    both = [
        open_browser(java_script_enabled=scripts),
        open_browser(java_script_enabled=scripts, viewport=chromium.DESK),
    ]
    return (*map(Keyboard, both), True) if scripts else (*both, False)


@pytest.mark.in_turn("two")
def test_s1_a_trade_ends_well_by_keyboard_alone_and_without_scripts(two):
    hers, his, scripts = two

    trade, trade_id = acts.up_to_the_call(hers, his, scripts=scripts)
    assert rooms.get(trade_id).state is TradeState.PHONE_CONFIRMED
    acts.dispatch(hers, trade, "４４４４－１３７５－８７０３")
    acts.dispatch(his, trade, "5125-4751-4334")
    acts.receive(his, trade)
    acts.receive(hers, trade)

    assert rooms.get(trade_id).state is TradeState.RECEIVED
    assert hers.get_by_text("受取完了").first.is_visible()
    hers.goto("/u/くろつばさ")
    assert "1件" in hers.locator("main").inner_text()
