"""S3 in a real browser: reviewed, upheld, appealed by the mailed link, lifted."""

import json
from pathlib import Path

import pytest
from flask import current_app

from tests.api.cases import CHANGES, bearer, make_key
from tests.blacklist.cases import A_DAY, contest, entry_of, use_device
from tests.browser import chromium
from tests.browser.test_call import sign_in
from tests.factories import make_account
from tests.stories.people import letters_to, link_in
from tests.worlds import TRACKED, make_trade
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.core import clock

pytestmark = pytest.mark.browser

RECEIPT = Path(__file__).parents[2] / "tradeboard" / "demo_photos" / "parcel.jpg"
UPHELD = "発送の記録がありません。"
LIFTED = "控えで発送が確かめられました。"


@pytest.fixture
def world(board):
    """Two parties, one contested parcel, one that never left; two moderators."""
    at = clock.now() - 15 * A_DAY
    her, him = (
        make_account(name, created_at=at - 90 * A_DAY) for name in ("mina", "kuro")
    )
    judges = [make_account(name, role=Role.MODERATOR) for name in ("mod", "judge")]
    use_device(him, "D-7F3K-9QXM", at + A_DAY)
    trade = make_trade(her, him, sent_by=[her], tracking=TRACKED, at=at)
    contest(trade, her, now=trade.due_at - A_DAY)
    assert sweep_overdue_trades(trade.due_at).done == 1
    return her, him, judges, trade


def look_up(page, asked):
    """Ask the look-up page; return its answer in words."""
    page.goto("/blacklist")
    page.get_by_label("ハンドルネーム、または端末コード").fill(asked)
    page.get_by_role("button", name="照会する").click()
    return page.locator("article.answer").first.inner_text()


def types_told(key):
    """Return what the feed says of each entry, in order."""
    got = current_app.test_client().get(CHANGES, headers=bearer(key)).json
    assert [change["seq"] for change in got["changes"]] == list(
        range(1, got["next"] + 1)
    )
    return [change["type"] for change in got["changes"]]


def beside_each_other(page):
    """Tell whether the two sides stand in one row, each with what is its own."""
    own, linked = (page.locator(f"#{one}").bounding_box() for one in ("own", "linked"))
    return own["y"] == linked["y"] and own["x"] + own["width"] <= linked["x"]


def write_sentence(page, decision, reason, sentence):
    """Fill in a decision and go on to its review page."""
    page.get_by_label(decision).check()
    page.get_by_label("理由の区分").select_option(reason)
    page.get_by_label("理由の一文").fill(sentence)
    page.get_by_role("button", name="確認へ進む").click()
    page.get_by_role("button", name="この判断を確定する").wait_for()
    return page.locator("main").inner_text()


def settle(page):
    """Press the button of the review page."""
    page.get_by_role("button", name="この判断を確定する").click()
    page.wait_for_load_state()


def uphold(desk, entry, linked):
    """Open both sides as the page asks for, then uphold after reading it again."""
    desk.goto("/desk/entries")
    desk.locator(f'a[href^="/desk/entries/{entry.id}"]').first.click()
    assert beside_each_other(desk)
    own, other = (desk.locator(f"#{one}").inner_text() for one in ("own", "linked"))
    assert "never_dispatched" in own
    assert "発送の記録なし" in own or "D-7F3K-9QXM" in own
    assert "counterparty_in_default" in other
    assert "配達の申し出" in other
    for number in (linked.number, entry.number):
        desk.locator(".note.info a", has_text=number).click()
    review = write_sentence(desk, "登録を維持する", "record", UPHELD)
    assert "担当者が確認済み" in review
    assert UPHELD in review
    settle(desk)


def appeal(page, person):
    """Follow the newest mailed link, signed in nowhere, and appeal with a picture."""
    link = link_in(letters_to(person.email)[-1][1])
    assert link.startswith("/appeals/")
    page.goto(link)
    assert page.locator("input[name=password]").count() == 0
    page.locator("[name=words]").fill("6月2日に発送しました。控えがあります。")
    page.locator("[name=photo]").set_input_files(RECEIPT)
    page.get_by_role("button", name="異議を申し立てる").click()
    page.get_by_text("申し立てを受け取りました。").first.wait_for()
    assert "判断の期限" in page.locator("main").inner_text()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= chromium.PHONE["width"]


def test_s3_reviewed_and_appealed(world, open_browser, board):
    _, him, (mod, judge), trade = world
    entry, linked = entry_of(him, trade), entry_of(world[0], trade)
    key = make_key("feed")
    stranger, his = open_browser(), open_browser()
    first, second = (open_browser(viewport=chromium.DESK) for _ in range(2))
    sign_in(first, mod, board)
    sign_in(second, judge, board)
    assert "自動・審査待ち" in look_up(stranger, "kuro")

    uphold(first, entry, linked)
    assert "確認済み" in look_up(stranger, "kuro")
    assert "登録なし" in look_up(stranger, "mina")

    appeal(his, him)
    assert "異議申し立て中" in look_up(stranger, "d7f3k9qxm")

    # Who upheld reads why another one decides; another one does.
    first.goto("/desk/appeals")
    first.locator('a[href^="/desk/appeals/"]').first.click()
    assert first.get_by_role("button", name="確認へ進む").count() == 0
    second.goto("/desk/appeals")
    second.locator('a[href^="/desk/appeals/"]').first.click()
    assert "控えがあります" in second.locator("main").inner_text()
    write_sentence(second, "申し立てを認める", "error", LIFTED)
    settle(second)

    assert "登録なし" in look_up(stranger, "kuro")
    assert "登録なし" in look_up(stranger, "D-7F3K-9QXM")
    asked = current_app.test_client().get("/api/v1/blacklist/check?handle=kuro").json
    assert (asked["status"], asked["entries"]) == ("none", [])
    assert types_told(key) == ["listed", "upheld", "appealed", "lifted"]
    assert any(LIFTED in body for _, body in letters_to(him.email))
    run = current_app.test_cli_runner().invoke(args=["audit", "verify", "--json"])
    assert (run.exit_code, json.loads(run.stdout)["ok"]) == (0, True)
