"""The open room: what is typed stays, kanji send nothing, and both see what moves."""

import pytest
from flask import current_app

from tests.browser import chromium
from tests.browser.test_call import sign_in
from tests.factories import in_transaction, make_account
from tests.worlds import make_trade
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.trades.models import Message
from tradeboard.trades.rules import carriers
from tradeboard.trades.services import messages

pytestmark = pytest.mark.browser

NUMBERS = {
    "yamato": ("4444-1375-8703", "４４４４－１３７５－８７０３", "444413758704", "44"),
    "s10": ("RB123456785GB", "rb 123 456 785 gb", "RB123456780GB", "RB12"),
    "usps": ("03071790000523483741", "03071790000523483742", "0307"),
    "ups": ("1Z5R89390357567127", "1Z5R89390357567128", "1Z"),
    "fedex": ("986578788855", "986578788856", "123456789012345"),
    "other": ("なんでも", "1"),
}


def test_two_in_one_room(board, open_browser):
    alice, bob = make_account("alice"), make_account("bob")
    trade = make_trade(alice, bob, at=clock.now())
    hers, his = open_browser(), open_browser(viewport=chromium.DESK)
    for page, account in ((hers, alice), (his, bob)):
        sign_in(page, account, board)
        page.goto(f"{board}/trades/{trade.id}", timeout=60_000)

    kanji_that_are_confirmed_send_nothing(his)
    his.keyboard.press("Control+Enter")
    his.wait_for_selector(".msg.me")
    assert his.input_value("#text") == ""

    # She types; his message comes in beside it, and is read as soon as it is seen.
    hers.fill("#text", "書きかけの返事")
    ask(hers)
    hers.wait_for_selector(".msg:has-text('では明日')")
    assert hers.input_value("#text") == "書きかけの返事"
    # At once, since the part may be put in anew at any moment.
    hers.evaluate("document.getElementById('room-msgs').scrollIntoView()")
    hers.wait_for_selector("form[data-seen]", state="detached")
    ask(his)
    his.wait_for_selector(".msg.me:has-text('既読')")

    # What somebody fills in is not put away when the trade moves; a note says so.
    hers.fill("input[name=tracking]", "4444-1375-8704")
    assert "検算が合いません" in hers.inner_text("[data-tracking-said]")
    with in_transaction():
        messages.say_phrase(trade.id, "send_soon", by=bob, now=clock.now())
    his.goto(f"{board}/trades/{trade.id}/dispatch")
    his.fill("input[name=tracking]", "4444-1375-8703")
    his.click("main form button:has-text('発送しました')")
    his.wait_for_url(f"{board}/trades/{trade.id}")
    ask(hers)
    hers.wait_for_selector("[data-moved]:visible")
    assert hers.input_value("input[name=tracking]") == "4444-1375-8704"
    assert hers.locator("#room-parcels .badge.info").count() == 1


def kanji_that_are_confirmed_send_nothing(page):
    page.fill("#text", "では明日")
    page.focus("#text")
    for key in ({"isComposing": True}, {"keyCode": 229}):
        event = {"key": "Enter", "bubbles": True, "cancelable": True, "ctrlKey": True}
        page.dispatch_event("#text", "keydown", event | key)
    page.keyboard.press("Enter")
    db.session.rollback()
    assert db.session.query(Message).count() == 0
    page.fill("#text", "では明日")


def ask(page):
    page.evaluate(
        "document.querySelector('[data-room]').dispatchEvent(new CustomEvent('ask'))"
    )


def test_hints_while_typing_say_what_the_server_would(board, open_browser):
    page = open_browser()
    page.goto(f"{board}/login")
    with current_app.test_request_context():
        rules = carriers.for_browsers()
    asked = [(code, n) for code, numbers in NUMBERS.items() for n in numbers]

    said = page.evaluate(
        """async ([rules, asked]) => {
          const { verdict } = await import("/static/js/tracking.js");
          return asked.map(([code, number]) => verdict(rules, code, number));
        }""",
        [rules, asked],
    )

    words = {True: "right", False: "wrong", None: ""}
    for (code, number), told in zip(asked, said, strict=True):
        fits = carriers.has_form(code, number) or not rules[code]["forms"]
        assert told == (words[carriers.check(code, number)] if fits else "shape")
