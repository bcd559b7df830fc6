"""Searching in a browser: suggested names, chosen filters, and the way back."""

from datetime import timedelta

import pytest

from tests.factories import make_account
from tests.listings import boards
from tradeboard.core import clock
from tradeboard.listings.rules import LineData

pytestmark = pytest.mark.browser

HOUR = timedelta(hours=1)
LONGER_THAN_THE_PAUSE_MS = 600


def test_names_are_suggested_but_never_while_composing(open_browser, board):
    now = clock.now()
    alice = make_account("alice", created_at=now - timedelta(days=30))
    for name in ("リザードン", "蒼天の竜王"):
        card = LineData(name, 1, condition="A", language="ja")
        boards.post(alice, have=[card], now=now - HOUR)
    page = open_browser()
    asked = []
    page.on("request", lambda sent: "/suggest" in sent.url and asked.append(sent.url))
    page.goto("/")
    box, status = (
        page.get_by_role("combobox", name="カード名"),
        page.locator("#announce"),
    )
    typing = page.context.new_cdp_session(page)

    box.focus()
    composed = {"text": "りざ", "selectionStart": 2, "selectionEnd": 2}
    typing.send("Input.imeSetComposition", composed)
    page.wait_for_timeout(LONGER_THAN_THE_PAUSE_MS)
    assert asked == []
    typing.send("Input.insertText", {"text": "リザ"})
    option = page.get_by_role("option", name="リザードン")
    option.wait_for()
    assert len(asked) == 1

    page.keyboard.press("ArrowDown")
    assert box.get_attribute("aria-activedescendant") == option.get_attribute("id")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=*")
    status.get_by_text("1件・新しい順").wait_for()
    assert box.input_value() == "リザードン"

    page.get_by_text("絞り込み").click()
    page.get_by_label("カードの状態").select_option(label="C・D")
    page.wait_for_url("**&cond=cd")
    page.get_by_text("この条件の募集はありません").wait_for()
    page.go_back(wait_until="commit")
    page.get_by_role("heading", name="リザードン").wait_for()
    assert page.get_by_label("カードの状態").input_value() == ""
