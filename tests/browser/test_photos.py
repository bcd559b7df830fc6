"""The form of a listing in a browser: photos go when they are picked."""

import re

import pytest

from tests import pictures
from tests.browser import acts, chromium
from tests.factories import make_account
from tradeboard.core.db import db
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState

pytestmark = pytest.mark.browser

NEW = "/listings/new"
# Each photo is drawn anew by a process of its own, which may have to wait.
PATIENCE = 30_000
WATCH = """() => {
  window.seen = new Set();
  new MutationObserver(() => document.querySelectorAll("#sending .muted").forEach(
    (state) => window.seen.add(state.textContent.replace(/\\d+/, "n"))
  )).observe(document.getElementById("sending"),
    {subtree: true, childList: true, characterData: true});
}"""


def file(name, data, kind="image/jpeg"):
    return {"name": name, "mimeType": kind, "buffer": data}


def only_listing():
    db.session.rollback()
    return db.session.scalars(db.select(Listing)).one()


def fill(page):
    page.locator("[name=have-0-name]").fill("蒼天の竜王")
    page.locator("[name=want-0-name]").fill("星詠みの魔導師")
    page.locator("[name=ships_from]").select_option(label="福岡県")


def press(page, words, number):
    """Press one of the buttons beside a photo."""
    name = re.compile(f"{words}.*{number}枚目")
    page.get_by_role("button", name=name).click()


def post(page):
    """Go on from the form to the page of the posted listing."""
    page.get_by_role("button", name="内容を確認する").click()
    page.get_by_role("heading", name="この内容で出しますか").wait_for()
    page.locator("main").get_by_role("button", name="募集を出す").click()
    page.wait_for_url(re.compile(r"/listings/\d+$"))


def test_photos_are_sent_with_progress_arranged_and_seen_large(open_browser, sign_in):
    page = open_browser(viewport=chromium.DESK)
    page.set_default_timeout(PATIENCE)
    sign_in(page, make_account("alice"))
    page.goto(NEW)
    fill(page)
    page.locator("#look").get_by_text("蒼天の竜王").wait_for()
    page.evaluate(WATCH)

    page.locator("#photo").set_input_files(
        [
            file("one.jpg", acts.PHOTO.read_bytes()),
            file("メモ.jpg", b"no photo"),
            file("two.jpg", pictures.jpeg("red", (1200, 1500))),
        ]
    )
    page.locator("#sending").get_by_text("画像として読めませんでした").wait_for()
    page.get_by_text("2枚目", exact=True).wait_for()
    assert "仕上げています" in page.evaluate("[...seen]")
    page.locator("#sending").get_by_role("button", name="送らない").click()
    assert re.search(r"/listings/drafts/\d+$", page.url)

    first, second = page.locator("[name^=caption-]").all()
    second.fill("赤いカード")
    second.evaluate("box => box.blur()")
    press(page, "上へ", 2)
    page.get_by_text("写真を前へ動かしました").wait_for(state="attached")
    press(page, "消す", 2)
    page.get_by_role("button", name="元に戻す").click()
    page.get_by_text("写真を元に戻しました").wait_for(state="attached")

    page.reload()
    assert page.locator("[name=have-0-name]").input_value() == "蒼天の竜王"
    assert page.locator("[name^=caption-]").first.input_value() == "赤いカード"
    post(page)
    page.locator("[data-lightbox] a").first.click()
    assert "赤いカード" in page.locator("#lightbox [data-caption]").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#lightbox [data-place]").inner_text() == "2 / 2"
    page.keyboard.press("Escape")
    focused = page.evaluate("document.activeElement.parentElement.tagName")
    assert focused == "LI"


def test_a_draft_keeps_itself_and_waits_for_whoever_signed_out(open_browser, sign_in):
    page = open_browser()
    page.set_default_timeout(PATIENCE)
    alice = make_account("alice")
    sign_in(page, alice)
    page.goto(NEW)
    page.clock.install()

    page.locator("[name=note]").press_sequentially("一言")
    page.clock.run_for(5_100)
    page.get_by_text("下書きを保存しました").wait_for()
    assert only_listing().form["note"] == "一言"
    assert page.url.endswith(f"/listings/drafts/{only_listing().id}")
    assert "あと998字" in page.locator("#note-hint").inner_text()

    page.context.clear_cookies()
    page.locator("[name=note]").press_sequentially("もう")
    page.clock.run_for(5_100)
    page.get_by_text("いまは自動で保存できません").wait_for()
    page.locator("#photo").set_input_files(file("one.jpg", pictures.jpeg()))
    page.locator("#sending").get_by_text("ログインが切れました").wait_for()
    sign_in(page, alice)
    page.locator("#sending").get_by_role("button", name="もう一度送る").click()
    page.get_by_text("1枚目（一覧に出る写真）").wait_for()

    assert only_listing().form["note"] == "一言もう"


def test_a_listing_is_posted_without_scripts(open_browser, sign_in):
    page = open_browser(java_script_enabled=False)
    page.set_default_timeout(PATIENCE)
    sign_in(page, make_account("alice"))
    page.goto(NEW)
    fill(page)

    for colour in ("red", "blue"):
        page.locator("#photo").set_input_files(file("x.jpg", pictures.jpeg(colour)))
        page.get_by_role("button", name="送る", exact=True).click()
    press(page, "下へ", 1)
    press(page, "消す", 2)
    page.get_by_role("button", name="元に戻す").click()
    assert page.locator("[name=have-0-name]").input_value() == "蒼天の竜王"
    post(page)

    assert only_listing().state is ListingState.OPEN
    assert page.locator("[data-lightbox] li").count() == 2
    large = page.locator("[data-lightbox] a").first.get_attribute("href")
    assert re.search(r"/photos/\w+-2048\.jpg$", large)
