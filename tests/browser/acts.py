"""What people do in a browser: they read the page and press what it says."""

from pathlib import Path

from tests.stories.people import PASSWORD, letters_to, link_in
from tests.trades import rooms

PHOTO = Path(__file__).parents[2] / "tradeboard" / "demo_photos" / "azure.jpg"


def register(page, handle, email):
    """Register, and confirm the address with the link from the outbox."""
    page.goto("/register")
    page.get_by_label("ハンドル").fill(handle)
    page.get_by_label("メールアドレス").fill(email)
    page.get_by_label("パスワード", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="登録して確認メールを受け取る").click()
    page.goto(link_in(letters_to(email)[-1][1]))
    page.get_by_role("button", name="このアドレスを確認する").click()


def post(page, photo, *, scripts=True):
    """Write a listing with a photo, agree to the terms, post it; return its address."""
    page.goto("/listings/new")
    page.locator("#photo").set_input_files(photo)
    if not scripts:
        page.locator("button[name=do][value=photo]").click()
    page.get_by_text("1枚目（一覧に出る写真）").wait_for()
    page.locator("[name=have-0-name]").fill("蒼天の竜王")
    page.locator("[name=want-0-name]").fill("星詠みの魔導師")
    page.locator("[name=ships_from]").select_option(label="福岡県")
    page.get_by_role("button", name="内容を確認する").click()
    page.get_by_role("heading", name="この内容で出しますか").wait_for()
    page.locator("main").get_by_role("button", name="募集を出す").click()
    agree(page)
    page.get_by_text("募集中").first.wait_for()
    return page.url


def agree(page):
    """Read the five points, tick the box, and go on."""
    page.get_by_role("heading", name="利用規約への同意").wait_for()
    page.get_by_label("利用規約を読んで、同意します").check()
    page.get_by_role("button", name="同意して続ける").click()


def offer(page, listing):
    """Offer for a listing, agreeing to the terms on the way; return the trade."""
    page.goto(listing)
    page.get_by_role("link", name="この内容で申し込む").click()
    page.get_by_role("button", name="この内容で申し込む").click()
    agree(page)
    page.wait_for_url("**/trades/*")
    return page.url


def counter(page, trade, note):
    """Answer with another version."""
    page.goto(f"{trade}/counter")
    page.get_by_label("ひとこと").fill(note)
    page.get_by_role("button", name="この内容で返事をする").click()
    page.wait_for_url(trade)


def accept(page, trade):
    """Agree to what is on the page."""
    page.goto(trade)
    page.locator('form[action$="/accept"] button').first.click()
    page.wait_for_url(trade)


def seal(page, trade, number, address):
    """Put number and address under seal."""
    page.goto(f"{trade}/call")
    page.get_by_label("電話番号", exact=True).fill(number)
    page.locator("[name=address]").fill(address)
    page.get_by_role("button", name="封をする").click()
    page.wait_for_load_state()


def words(page, trade):
    """Read the own two words off the page."""
    page.goto(f"{trade}/call")
    return page.locator(".words .word").all_inner_texts()


def type_words(page, trade, heard):
    """Type what was heard on the call."""
    page.goto(f"{trade}/call")
    page.locator("[name=first]").fill(heard[0])
    page.locator("[name=second]").fill(heard[1])
    page.get_by_role("button", name="確かめる", exact=True).click()
    page.wait_for_load_state()


def dispatch(page, trade, number):
    """Say that it is on its way."""
    page.goto(f"{trade}/dispatch")
    page.locator("[name=carrier]").select_option("yamato")
    page.locator("[name=tracking]").fill(number)
    page.get_by_role("button", name="発送しました").click()
    page.wait_for_url(trade)


def receive(page, trade):
    """Say that it has come as agreed."""
    page.goto(f"{trade}/receive")
    page.locator("[name=condition][value=as_agreed]").check()
    page.get_by_role("button", name="受け取りを記録する").click()
    page.wait_for_url(trade)


def up_to_the_call(hers, his, *, scripts=True):
    """Let both register, deal, seal, speak; return the trade's address and id."""
    register(hers, "みなと", "minato@example.com")
    register(his, "くろつばさ", "kuro@example.com")
    trade = offer(his, post(hers, PHOTO, scripts=scripts))
    counter(hers, trade, "裏面の写真を足しました。")
    accept(his, trade)
    seal(hers, trade, rooms.NUMBERS[0], rooms.ADDRESSES[0])
    seal(his, trade, rooms.NUMBERS[1], rooms.ADDRESSES[1])
    spoken_by_her, spoken_by_him = words(hers, trade), words(his, trade)
    type_words(hers, trade, spoken_by_him)
    type_words(his, trade, spoken_by_her)
    return trade, rooms.number_in(trade)
