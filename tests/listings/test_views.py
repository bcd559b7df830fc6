"""The pages of the board, and who may open which."""

from datetime import timedelta

import pytest

from tests.factories import make_account
from tests.listings import boards
from tests.page_forms import find_form, get, send, submit, text
from tradeboard.accounts import tokens
from tradeboard.core import clock
from tradeboard.listings import services
from tradeboard.listings.rules import LineData, ListingState


def post(owner, **texts):
    return boards.post(owner, now=clock.now() - timedelta(hours=1), **texts)


@pytest.fixture
def visitor(app):
    return app.test_client()


def test_the_board_is_open_to_everybody(visitor, alice):
    post(alice)

    page = text(get(visitor, "/"))

    assert "蒼天の竜王" in page
    assert "星詠みの魔導師" in page
    assert "1件・新しい順" in page


def test_an_empty_result_says_what_to_do(visitor, alice):
    post(alice)

    page = get(visitor, "/?q=存在しない&cond=ab&rarity=無い")
    assert "条件をすべて外す" in page
    assert "/listings/new" in page
    assert "「カードの状態 A・B」だけで探す 1件" in text(page)

    page = get(visitor, "/?q=存在しない&cond=ab")
    assert "「存在しない」を外す 1件" in text(page)
    assert 'href="/?cond=ab"' in page
    assert "「カードの状態" not in text(page)


def test_each_condition_can_be_taken_off(visitor):
    page = get(visitor, "/?q=竜&cond=ab&photo=1&lang=xx&nonsense=1")

    assert 'href="/?cond=ab&amp;photo=1"' in page
    assert 'href="/?q=%E7%AB%9C&amp;photo=1"' in page
    assert "lang=xx" not in page


def test_the_board_goes_on(visitor, alice, monkeypatch):
    for number in range(26):
        boards.do(services.start, {}, by=alice, now=clock.now())
        card = LineData(f"札{number:02}", 1, condition="A")
        owner = make_account(f"owner{number}")
        post(owner, have=[card])

    first = get(visitor, "/?cond=ab")
    more = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    second = get(visitor, more.replace("&amp;", "&"))

    assert "札25" in first
    assert "札01" not in first
    assert "札01" in second
    assert "札25" not in second


def test_what_is_new_since_the_last_visit(visitor, alice):
    get(visitor, "/")
    long_ago = clock.now() - timedelta(days=1)
    visitor.set_cookie("visit", f"|{long_ago.isoformat()}")
    post(alice)

    assert "前回から新しい募集が1件" in get(visitor, "/")
    assert "前回から新しい募集が1件" in get(visitor, "/")
    visitor.set_cookie("visit", "nonsense|2026-01-01")
    assert "前回から" not in get(visitor, "/")


def test_a_listing_page_says_it_all(visitor, alice):
    listing_id = post(alice, note="一行目\n二行目 <b>", game="星霜")

    page = get(visitor, f"/listings/{listing_id}")

    assert "蒼天の竜王を出します" in text(page)
    assert "一行目<br>二行目 &lt;b&gt;" in page
    assert "福岡県" in page
    assert "利用規約 第1版" in page
    assert f"/listings/{listing_id}/offer" in page
    assert 'property="og:description"' in page
    assert "編集する" not in page


def test_a_listing_shows_itself_to_other_sites_while_it_is_public(
    app, visitor, log_in, alice, moderator
):
    listing_id = post(alice)
    photo = boards.add_photo(alice, listing_id, app)
    said = {photo: "白欠けなし"}
    boards.do(services.describe_photos, listing_id, {}, said, by=alice)
    base, url = app.config["PUBLIC_URL"], f"/listings/{listing_id}"

    page = get(visitor, url)

    assert f'<link rel="canonical" href="{base}{url}">' in page
    assert f'og:image" content="{base}/photos/{photo}-2048.jpg"' in page
    assert 'twitter:card" content="summary_large_image"' in page
    assert 'alt="蒼天の竜王 おもて面：白欠けなし"' in page
    boards.do(services.hide, listing_id, "理由", by=moderator, now=clock.now())
    hidden = get(log_in(alice), url)
    assert "og:" not in hidden
    assert "canonical" not in hidden
    assert 'content="noindex"' in hidden


def test_its_owner_sees_other_buttons(log_in, alice):
    listing_id = post(alice)

    page = get(log_in(alice), f"/listings/{listing_id}")

    assert f"/listings/{listing_id}/edit" in page
    assert f"/listings/{listing_id}/offer" not in page
    assert find_form(page, f"/listings/{listing_id}/renew")


@pytest.mark.parametrize("kind", ["draft", "awaiting", "hidden", "withdrawn"])
def test_outsiders_find_nothing_of_what_is_not_public(
    app, visitor, log_in, bob, moderator, kind
):
    owner = make_account("owner", confirmed=kind != "awaiting")
    if kind == "draft":
        listing_id = boards.draft(owner, {"note": "秘密"})
    else:
        listing_id = post(owner)
    changeable = kind != "awaiting"
    photo = boards.add_photo(owner, listing_id, app) if changeable else None
    if kind == "hidden":
        boards.do(services.hide, listing_id, "別の写真", by=moderator, now=clock.now())
    if kind == "withdrawn":
        boards.do(services.withdraw, listing_id, by=owner, now=clock.now())

    closed = [f"/listings/{listing_id}"]
    closed += [f"/photos/{photo}-480.jpg"] if photo else []
    for client in (visitor, log_in(bob)):
        assert {client.get(url).status_code for url in closed} == {404}
    for address in ("", "/review", "/discard"):
        url = f"/listings/drafts/{listing_id}{address}"
        assert log_in(bob).get(url).status_code == 404
        assert visitor.get(url).status_code in (302, 303)
    seen = closed[1:] if kind == "draft" else closed
    assert {log_in(owner).get(url).status_code for url in seen} <= {200}


def test_the_owner_sees_why_it_is_hidden(log_in, alice, moderator):
    listing_id = post(alice)
    client = log_in(moderator)

    answer = submit(
        client,
        f"/desk/listings/{listing_id}/hide",
        button="非表示にする",
        reason="別の写真",
    )
    assert answer.status_code == 303

    assert "別の写真" in get(log_in(alice), f"/listings/{listing_id}")
    submit(client, f"/listings/{listing_id}", f"/desk/listings/{listing_id}/restore")
    assert boards.listing(listing_id).state is ListingState.OPEN


def test_hiding_without_a_reason_is_refused(log_in, alice, moderator):
    listing_id = post(alice)

    url = f"/desk/listings/{listing_id}/hide"
    answer = submit(log_in(moderator), url, button="非表示にする", reason=" ")

    assert answer.status_code == 422
    assert boards.listing(listing_id).state is ListingState.OPEN


def test_the_desk_is_closed_to_members(log_in, alice, bob):
    listing_id = post(alice)

    assert log_in(bob).get(f"/desk/listings/{listing_id}/hide").status_code == 404


def test_a_photo_is_served_for_good_and_harmless(app, visitor, alice):
    listing_id = post(alice)
    photo = boards.add_photo(alice, listing_id, app)

    for width in (480, 2048):
        answer = visitor.get(f"/photos/{photo}-{width}.jpg")
        assert answer.status_code == 200
        assert answer.mimetype == "image/jpeg"
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["Content-Security-Policy"] == (
            "sandbox; default-src 'none'"
        )
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert visitor.get(f"/photos/{photo}-100.jpg").status_code == 404
    assert visitor.get(f"/photos/{'0' * 32}-480.jpg").status_code == 404


def test_a_drafts_photo_is_stored_nowhere(app, log_in, alice):
    draft = boards.draft(alice)
    photo = boards.add_photo(alice, draft, app)

    answer = log_in(alice).get(f"/photos/{photo}-480.jpg")

    assert answer.headers["Cache-Control"] == "private, no-store"


def test_mine_shows_every_state(log_in, alice):
    post(alice)
    boards.draft(alice, {"have": [{"name": "書きかけ"}]})

    page = text(get(log_in(alice), "/me/listings"))

    assert "下書き" in page
    assert "書きかけ" in page
    assert "募集中" in page


def test_renew_and_withdraw_are_buttons(log_in, alice):
    listing_id = post(alice)
    client = log_in(alice)
    before = boards.listing(listing_id).expires_at

    submit(client, "/me/listings", f"/listings/{listing_id}/renew")
    assert boards.listing(listing_id).expires_at > before
    submit(client, f"/listings/{listing_id}/withdraw", button="取り下げる")

    assert boards.listing(listing_id).state is ListingState.WITHDRAWN


def test_confirming_an_address_opens_what_waited(visitor, app):
    dora = make_account("dora", confirmed=False)
    listing_id = post(dora)
    token = boards.do(tokens.issue, dora, "confirm", now=clock.now())

    for _ in range(3):
        page = get(visitor, f"/confirm/{token}")
    assert boards.listing(listing_id).state is ListingState.AWAITING_EMAIL
    assert page
    answer = submit(visitor, f"/confirm/{token}")

    assert answer.status_code == 303
    assert boards.listing(listing_id).state is ListingState.OPEN
    assert visitor.get(f"/confirm/{token}").status_code == 410
    assert visitor.get("/confirm/made-up").status_code == 410


def test_an_open_listing_is_edited_in_place(log_in, alice):
    listing_id = post(alice)
    client = log_in(alice)
    line_id = boards.lines(listing_id)[0]
    url = f"/listings/{listing_id}/edit"

    page = submit(client, url, button="do=add-have", **{"have-0-quantity": "3"})
    page = page.get_data(as_text=True)
    card = {"have-1-name": "旋風の一撃", "have-1-condition": "B", "note": "追記"}
    answer = send(client, url, page, button="do=change", **card)

    assert answer.location == f"/listings/{listing_id}"
    shown = text(get(client, answer.location))
    assert "×3" in shown
    assert "旋風の一撃" in shown
    assert "追記" in shown
    assert boards.lines(listing_id)[0] == line_id


def test_an_edit_with_a_mistake_keeps_everything(log_in, alice):
    listing_id = post(alice)
    client = log_in(alice)
    url = f"/listings/{listing_id}/edit"

    wrong = {"have-0-quantity": "零", "note": "x@example.org"}
    first = submit(client, url, button="do=change", **wrong)
    page = first.get_data(as_text=True)
    second = send(client, url, page, button="do=change", **{"have-0-quantity": "1"})

    assert first.status_code == 422
    assert "零" in page
    assert second.status_code == 422
    assert "x@example.org" in second.get_data(as_text=True)
    assert boards.listing(listing_id).note == ""


def test_every_page_reads_in_english_too(log_in, alice):
    listing_id = post(alice)
    draft = boards.draft(alice)
    client = log_in(alice)
    client.set_cookie("language", "en")

    for url in ("/", f"/listings/{listing_id}", f"/listings/drafts/{draft}"):
        assert 'lang="en"' in get(client, url)


def test_whoever_negotiates_is_told_of_an_edit(log_in, alice, bob):
    listing_id = post(alice)
    url = f"/listings/{listing_id}/edit"
    his = log_in(bob)
    offered = submit(his, f"/listings/{listing_id}/offer", button="do=send")

    submit(log_in(alice), url, button="do=change")
    assert "ひとことが変わりました" not in get(his, offered.location)
    submit(log_in(alice), url, button="do=change", note="追記")

    assert "ひとことが変わりました" in get(his, offered.location)
