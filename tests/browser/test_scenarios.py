"""What people complained of elsewhere, in a browser: clocks, kanji, Chinese glyphs."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.factories import A_MOMENT, make_account
from tests.worlds import make_listing, make_trade
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.trades import queries
from tradeboard.trades.rules.states import LegState

pytestmark = pytest.mark.browser

DUE = datetime(2026, 12, 12, 6, 40, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
TWO_WEEKS = timedelta(days=14)
HEAR = """() => {
  window.heard = [];
  const region = document.getElementById("announce");
  new MutationObserver(() => window.heard.push(region.textContent))
    .observe(region, {childList: true, characterData: true, subtree: true});
}"""
TIMERS = "[...document.querySelectorAll('[role=timer]')].map(t => t.textContent)"
A_DAY_LEFT, AN_HOUR_LEFT = "期限まで24時間です", "期限まで1時間です"


@pytest.fixture
def server(monkeypatch):
    """Return how to set the server's clock."""

    def at(now):
        monkeypatch.setattr(clock, "now", lambda: now)

    return at


def ms(span):
    return int(span.total_seconds() * 1000)


def test_the_servers_clock_decides_and_is_not_read_aloud(
    board, open_browser, sign_in, server
):
    """Scenarios 9 and 10: a phone in Honolulu whose clock is three hours fast."""
    server(DUE - 24 * HOUR - 15 * MINUTE)
    alice, bob = make_account("alice"), make_account("bob")
    trades = [
        make_trade(alice, bob, sent_by=[alice, bob], at=DUE - TWO_WEEKS).id
        for _ in range(2)
    ]

    def phone():
        page = open_browser(timezone_id="Pacific/Honolulu")
        sign_in(page, alice)
        page.clock.install(time=clock.now() + 3 * HOUR)
        return page

    ten_minutes_are_quiet(phone())
    server(DUE - 30 * MINUTE - timedelta(seconds=30))
    half_an_hour_is_left(phone(), trades[0])
    the_last_moment_is_in_time_and_the_next_is_late(phone(), server, trades)


def ten_minutes_are_quiet(phone):
    """Two minutes' worth of deadlines are said once each, and nothing between."""
    phone.goto("/todo")
    phone.get_by_role("timer").first.wait_for()
    assert phone.get_by_role("timer").first.get_attribute("aria-live") == "off"
    phone.evaluate(HEAR)

    phone.clock.run_for(ms(10 * MINUTE))
    assert phone.evaluate("heard") == []
    phone.clock.run_for(ms(10 * MINUTE))
    assert phone.evaluate("heard") == [A_DAY_LEFT]
    phone.clock.fast_forward(ms(22 * HOUR + 40 * MINUTE))
    phone.clock.run_for(ms(10 * MINUTE))
    assert phone.evaluate("heard") == [A_DAY_LEFT]
    phone.clock.run_for(ms(10 * MINUTE))
    assert phone.evaluate("heard") == [A_DAY_LEFT, AN_HOUR_LEFT]
    phone.clock.fast_forward(ms(HOUR))
    assert set(phone.evaluate(TIMERS)) == {"期限を過ぎました。確認しています"}


def half_an_hour_is_left(phone, trade):
    """It is 15:10 in Japan, whatever the phone believes; some seconds for the way."""
    phone.goto(f"/trades/{trade}")

    counted = phone.locator(
        "main [role=timer]", has_text=re.compile(r"^あと30分\d+秒$")
    )
    counted.first.wait_for()
    told = phone.locator(".when:has([datetime='2026-12-12T15:40:00+09:00'])").first
    assert told.inner_text().split("\n") == ["2026年12月12日(土) 15:40", "日本時間"]


def the_last_moment_is_in_time_and_the_next_is_late(phone, server, trades):
    """He presses at 15:39:59.999999, and in the other trade at 15:40:00."""
    for trade, at in zip(trades, (DUE - A_MOMENT, DUE), strict=True):
        server(DUE - MINUTE)
        phone.goto(f"/trades/{trade}/receive")
        phone.locator("[name=condition][value=as_agreed]").check()
        server(at)
        phone.get_by_role("button", name="受け取りを記録する").click()
        phone.wait_for_load_state()

    db.session.rollback()
    legs = [queries.get_trade(trade).legs for trade in trades]
    came = [[leg.state for leg in both].count(LegState.RECEIVED) for both in legs]
    assert came == [1, 0]


def test_kanji_are_confirmed_and_drawn_as_in_japan(board, open_browser, sign_in):
    """Scenarios 6 and 23."""
    now = clock.now()
    alice = make_account("alice", created_at=now - TWO_WEEKS)
    text = "直 骨 海：角は白欠けなし"
    listing = make_listing(alice, at=now - HOUR, note=text)
    page = open_browser(locale="en-US")
    keys = page.context.new_cdp_session(page)

    kanji_that_are_confirmed_send_no_form(page, keys)
    kanji_have_a_japanese_font(page, keys, f"/listings/{listing.id}", text)


def kanji_that_are_confirmed_send_no_form(page, keys):
    """Chrome says 229 while composing, Safari just after it."""
    page.goto("/confirm/resend")
    page.wait_for_load_state("networkidle")
    sent = []
    page.on("request", lambda asked: asked.method == "POST" and sent.append(asked.url))
    enter = {"key": "Enter", "code": "Enter", "text": "\r", "type": "keyDown"}
    page.locator("main input[type=email], main input[name=email]").focus()

    composed = {"text": "かんじ", "selectionStart": 3, "selectionEnd": 3}
    keys.send("Input.imeSetComposition", composed)
    keys.send("Input.dispatchKeyEvent", enter | {"windowsVirtualKeyCode": 229})
    keys.send("Input.insertText", {"text": "漢字"})
    keys.send("Input.dispatchKeyEvent", enter | {"windowsVirtualKeyCode": 229})
    page.wait_for_timeout(300)
    assert sent == []

    with page.expect_request(lambda asked: asked.method == "POST"):
        page.keyboard.press("Enter")
    page.wait_for_load_state()


def kanji_have_a_japanese_font(page, keys, path, text):
    """The page is English, what a member wrote is not."""
    page.goto(path)
    assert page.locator("html").get_attribute("lang") == "en"
    keys.send("DOM.enable")
    keys.send("CSS.enable")
    root = keys.send("DOM.getDocument")["root"]["nodeId"]
    written = page.get_by_text(text)
    written.evaluate("element => element.id = 'written'")

    node = keys.send("DOM.querySelector", {"nodeId": root, "selector": "#written"})
    fonts = keys.send("CSS.getPlatformFontsForNode", {"nodeId": node["nodeId"]})
    names = {font["familyName"] for font in fonts["fonts"]}
    assert names
    assert not [name for name in names if re.search(r" (SC|TC|HK|KR)\b", name)]
    for selector in ("#written", "input", "button"):
        stack = page.locator(selector).first.evaluate(
            "element => getComputedStyle(element).fontFamily"
        )
        assert stack.index("Hiragino Sans") < stack.index("sans-serif")
        assert "Noto Sans CJK JP" in stack
