"""S2 in a real browser: one ships, the other never does."""

from datetime import timedelta

import pytest

from tests.browser import acts
from tests.trades import rooms
from tradeboard.blacklist.jobs import sweep_overdue_trades

pytestmark = pytest.mark.browser


def test_s2_a_default_is_listed(open_browser):
    hers, his = open_browser(), open_browser()
    trade, trade_id = acts.up_to_the_call(hers, his)
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
