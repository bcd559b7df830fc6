"""The call in a real browser: seals, words, wrong words, a moderator, a new number."""

import re
from contextlib import contextmanager

import pytest
from flask import current_app

from tests.browser import acts, chromium
from tests.factories import make_account, make_session
from tests.stories.people import letters_to
from tests.trades import rooms, stages
from tests.worlds import make_listing
from tradeboard.accounts.rules.standing import Role
from tradeboard.core import clock
from tradeboard.core.transaction import transaction
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import negotiation

pytestmark = pytest.mark.browser

HERS, HIS = "090-3123-4567", "080-3123-4567"
HER_OTHER = "070-3123-4567"
WRONG = ("ちがう", "ことば")


@pytest.fixture
def call(board, open_browser):
    """Two who agreed just now, each signed in; she on a phone, he at a desk."""
    alice, bob = make_account("alice"), make_account("bob")
    hers, his = open_browser(), open_browser(viewport=chromium.DESK)
    sign_in(hers, alice, board)
    sign_in(his, bob, board)
    return hers, his, f"{board}/trades/{agree(alice, bob)}"


def agree(alice, bob):
    now = clock.now()
    listing = make_listing(alice, at=now)
    with transaction():
        items = stages.items(listing)
        trade = negotiation.propose(listing.id, items, "", by=bob, now=now)
        negotiation.accept(trade.id, 1, by=alice, now=now)
        return trade.id


def sign_in(page, account, board):
    """Give a browser the cookie of a session."""
    client = current_app.test_client()
    with client.session_transaction() as session:
        session["_user_id"] = make_session(account)
    cookie = client.get_cookie(current_app.config["SESSION_COOKIE_NAME"])
    page.context.add_cookies(
        [{"name": cookie.key, "value": cookie.value, "url": board}]
    )


def read(page, trade):
    """Open the page of the call, and return its words."""
    page.goto(f"{trade}/call", wait_until="domcontentloaded")
    return page.locator("main").inner_text()


def type_wrong(page, trade, times):
    """Type wrong words, on the page that answers as long as it still asks."""
    read(page, trade)
    for _ in range(times):
        type_into(page, WRONG)


@contextmanager
def opened_before(page, trade):
    """Keep a page of the call open in another tab, with the words it shows."""
    tab = page.context.new_page()
    tab.goto(f"{trade}/call")
    yield tab
    tab.close()


def left(words):
    """Return how many tries the page promises."""
    return int(re.search("あと([0-9])回", words)[1])


def words_shown(page):
    return page.locator(".words .word").all_inner_texts()


def change_number(page, trade, number):
    page.goto(f"{trade}/call")
    page.get_by_text("番号が違う", exact=True).click()
    page.get_by_role("link", name="自分の番号を入れなおす").click()
    page.get_by_label("電話番号", exact=True).fill(number)
    page.locator("[name=address]").fill(rooms.ADDRESSES[0])
    page.get_by_role("button", name="封をする").click()
    page.wait_for_load_state()


def assert_nobody_sees(pages, trade, *numbers):
    for page in pages:
        for url in (f"{trade}/call", trade):
            answer = page.request.get(url)
            assert answer.status < 400
            assert not [number for number in numbers if number in answer.text()]


def test_two_seal_speak_err_and_confirm(call, open_browser, board):
    hers, his, trade = call
    trade_id = rooms.number_in(trade)

    # One seals; the other lets it wait.
    acts.seal(hers, trade, HERS, rooms.ADDRESSES[0])
    assert "bobさんが封をすると" in read(hers, trade)
    assert "aliceさん：封をしました" in read(his, trade)
    for page in (hers, his):
        assert page.locator("main time").first.get_attribute("datetime")
        assert "期限" in page.locator("main").inner_text()
    assert_nobody_sees((hers, his), trade, HERS, HIS)

    # The second seal opens both numbers at once.
    acts.seal(his, trade, HIS, rooms.ADDRESSES[1])
    assert HERS in read(his, trade)
    assert HIS in read(hers, trade)
    assert HERS not in hers.content()

    # Wrong words count for both of them; five bring new words.
    assert left(read(hers, trade)) == 5
    acts.type_words(hers, trade, WRONG)
    assert "合言葉が違います" in hers.locator("main").inner_text()
    assert hers.locator("[name=first]").input_value() == WRONG[0]
    assert left(read(his, trade)) == 4
    with opened_before(hers, trade) as tab:
        old = words_shown(tab)
        type_wrong(his, trade, left(read(his, trade)))
        assert "新しい合言葉" in his.locator("body").inner_text()
        assert words_shown(tab) == old
        assert acts.words(hers, trade) != old
        type_into(tab, old)
        assert words_shown(tab) == acts.words(hers, trade)
    assert left(read(his, trade)) == 5
    assert rooms.get(trade_id).state is TradeState.AGREED
    assert not any(side.words_right_at for side in rooms.get(trade_id).phones)

    # The third round that is used up goes to a moderator.
    for _ in range(2):
        type_wrong(hers, trade, left(read(hers, trade)))
    assert rooms.get(trade_id).call_closed_at is not None
    assert "モデレーターが確かめます" in read(hers, trade)
    assert_nobody_sees((hers, his), trade, HERS, HIS)
    open_round(open_browser, board, trade_id)
    assert HIS in read(hers, trade)
    assert HERS in read(his, trade)

    # Another number breaks both seals.
    change_number(hers, trade, HER_OTHER)
    assert "封をする" in read(his, trade)
    told = [subject for subject, _ in letters_to("bob@example.com")]
    assert "aliceさんが番号を入れなおしました" in told
    assert_nobody_sees((hers, his), trade, HERS, HIS, HER_OTHER)
    acts.seal(his, trade, HIS, rooms.ADDRESSES[1])
    assert HER_OTHER in read(his, trade)
    assert HERS not in his.content()

    # Both type what they heard.
    spoken_by_her, spoken_by_him = acts.words(hers, trade), acts.words(his, trade)
    acts.type_words(hers, trade, spoken_by_him)
    assert "bobさんの合言葉は合っています" in read(hers, trade)
    assert rooms.get(trade_id).state is TradeState.AGREED
    acts.type_words(his, trade, spoken_by_her)
    assert rooms.get(trade_id).state is TradeState.PHONE_CONFIRMED
    assert_nobody_sees((hers, his), trade, HERS, HIS, HER_OTHER)


def type_into(tab, words):
    """Type into a page as it stands."""
    tab.locator("[name=first]").fill(words[0])
    tab.locator("[name=second]").fill(words[1])
    tab.get_by_role("button", name="確かめる", exact=True).click()
    tab.wait_for_load_state()


def open_round(open_browser, board, trade_id):
    """Let a moderator, who has shown the second factor, open one more round."""
    desk = open_browser(viewport=chromium.DESK)
    sign_in(desk, make_account("mod", role=Role.MODERATOR), board)
    desk.goto(f"/desk/trades/{trade_id}")
    assert not [n for n in (HERS, HIS) if n in desk.content()]
    desk.get_by_role("button", name="もう一度できるようにする").click()
    desk.get_by_text("電話の確認を再開しました。").wait_for()
