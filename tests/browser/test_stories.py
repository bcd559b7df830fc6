"""S1 and S2 in a real browser: two people, each with a browser of the own."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.browser import acts, chromium
from tests.trades import rooms
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.trades.rules.states import TradeState

pytestmark = pytest.mark.browser

PHOTO = Path(__file__).parents[2] / "tradeboard" / "demo_photos" / "azure.jpg"
MINATO, KURO = "minato@example.com", "kuro@example.com"


def up_to_the_call(hers, his):
    """Let both register, deal, seal, speak; return the trade's address and id."""
    acts.register(hers, "みなと", MINATO)
    acts.register(his, "くろつばさ", KURO)
    trade = acts.offer(his, acts.post(hers, PHOTO))
    acts.counter(hers, trade, "裏面の写真を足しました。")
    acts.accept(his, trade)
    acts.seal(hers, trade, rooms.NUMBERS[0], rooms.ADDRESSES[0])
    acts.seal(his, trade, rooms.NUMBERS[1], rooms.ADDRESSES[1])
    spoken_by_her, spoken_by_him = acts.words(hers, trade), acts.words(his, trade)
    acts.type_words(hers, trade, spoken_by_him)
    acts.type_words(his, trade, spoken_by_her)
    return trade, rooms.number_in(trade)


def test_s1_a_trade_ends_well(open_browser):
    hers, his = open_browser(), open_browser(viewport=chromium.DESK)

    trade, trade_id = up_to_the_call(hers, his)
    assert rooms.get(trade_id).state is TradeState.PHONE_CONFIRMED
    acts.dispatch(hers, trade, "４４４４－１３７５－８７０３")
    acts.dispatch(his, trade, "5125-4751-4334")
    acts.receive(his, trade)
    acts.receive(hers, trade)

    assert rooms.get(trade_id).state is TradeState.RECEIVED
    assert hers.get_by_text("受取完了").first.is_visible()
    hers.goto("/u/くろつばさ")
    assert "1件" in hers.locator("main").inner_text()


def test_s2_a_default_is_listed(open_browser):
    hers, his = open_browser(), open_browser()
    trade, trade_id = up_to_the_call(hers, his)
    acts.dispatch(hers, trade, "4444-1375-8703")
    due = rooms.get(trade_id).due_at

    assert sweep_overdue_trades(due - timedelta(microseconds=1)).done == 0
    assert sweep_overdue_trades(due).done == 1

    stranger = open_browser()
    stranger.goto("/blacklist")
    stranger.get_by_label("ハンドルネーム、または端末コード").fill("クロツバサ")
    stranger.get_by_role("button", name="照会する").click()
    answer = stranger.locator("article.answer")
    assert "登録あり" in answer.inner_text()
    assert "発送されなかった" in answer.inner_text()
    code = answer.locator(".num").first.inner_text()

    stranger.get_by_label("ハンドルネーム、または端末コード").fill(code.lower())
    stranger.get_by_role("button", name="照会する").click()
    assert "くろつばさ" in stranger.locator("article.answer").inner_text()

    stranger.get_by_label("ハンドルネーム、または端末コード").fill("みなと")
    stranger.get_by_role("button", name="照会する").click()
    assert "登録なし" in stranger.locator("article.answer").inner_text()

    his.goto("/blacklist/mine")
    assert "登録あり" in his.locator("main").inner_text()
