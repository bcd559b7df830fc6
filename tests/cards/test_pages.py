"""The pages of the lists, as a browser without script uses them."""

import io
import re

import pytest

from tests import pages
from tests.cards.worlds import do, put
from tests.factories import make_account
from tests.listings import boards
from tradeboard.accounts.models import Block
from tradeboard.cards import queries
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.listings.models import Line, Listing

HAVE, WANT = CardSide.HAVE, CardSide.WANT


def listed(account, side=HAVE):
    """Return what stands on a list, from its top."""
    db.session.rollback()
    return [queries.line_of(card) for card in queries.whole_list(account.id, side)]


@pytest.fixture
def browser(log_in, alice):
    """Alice's browser."""
    return log_in(alice)


def test_a_card_is_added_changed_removed_and_brought_back(browser, alice, bob, log_in):
    add = pages.submit(
        browser, "/me/cards?side=have", name="ﾘｭｳ　王", quantity="２", set_code="tb－1"
    )
    again = pages.submit(browser, add.location, name="りゅう 王", set_code="TB-1")
    (line,) = listed(alice)
    assert line == CardLine("リュウ 王", 3, "TB-1")
    page = pages.get(browser, again.location)
    assert "「りゅう 王」を足しました" in pages.text(page)

    (card_id,) = re.findall(r'"/me/cards/(\d+)"', page)
    edited = pages.submit(
        browser, f"/me/cards/{card_id}", name="竜王", condition="A", quantity="5"
    )
    assert listed(alice) == [CardLine("竜王", 5, "TB-1", condition="A")]
    assert log_in(bob).get(f"/me/cards/{card_id}").status_code == 404
    removed = pages.submit(browser, edited.location, f"/me/cards/{card_id}/remove")
    assert listed(alice) == []
    assert "「竜王」を外しました" in pages.text(pages.get(browser, removed.location))
    pages.submit(browser, removed.location, "/me/cards/undo")
    assert listed(alice) == [CardLine("竜王", 5, "TB-1", condition="A")]


def test_a_mistake_keeps_what_was_typed(browser, alice):
    for fields, sentence in (
        ({"name": " ", "rarity": "レア"}, "カード名を書いてください"),
        ({"name": "竜", "quantity": "千", "rarity": "レア"}, "1から999まで"),
        ({"name": "竜 x@example.net", "rarity": "レア"}, "x@example.net"),
    ):
        answer = pages.submit(browser, "/me/cards", **fields)

        page = answer.get_data(as_text=True)
        assert answer.status_code == 422
        assert sentence in page
        assert 'value="レア"' in page
    assert listed(alice) == []


def test_a_line_that_becomes_another_is_one_with_it(browser, alice):
    put(alice, have=[CardLine("竜", 2), CardLine("虎", 1)])
    tiger = next(c for c in queries.whole_list(alice.id, HAVE) if c.name == "虎")

    pages.submit(browser, f"/me/cards/{tiger.id}", name="龍")

    assert listed(alice) == [CardLine("竜", 3)]


def test_a_list_is_searched_and_turned_page_by_page(browser, alice):
    put(
        alice, have=[CardLine(f"竜 {n}", 1, f"AB-{n:03}") for n in range(60)] + ["100%"]
    )

    first = pages.get(browser, "/me/cards")
    (more,) = re.findall(r'href="([^"]*after=[^"]*)" rel="next"', first)
    second = pages.get(browser, more.replace("&amp;", "&"))
    assert "竜 0<" in first
    assert "100%" not in first
    assert "100%" in second
    assert "61行のうち1行" in pages.text(pages.get(browser, "/me/cards?q=%25"))
    assert "61行のうち60行" in pages.text(pages.get(browser, "/me/cards?q=龍"))
    assert "61行のうち1行" in pages.text(pages.get(browser, "/me/cards?q=ab-017"))
    assert "見つかりませんでした" in pages.get(browser, "/me/cards?q=虎")


def test_what_is_pasted_is_shown_line_by_line_and_then_put_in(browser, alice):
    text = "# 交換\n2x 竜の名前 [ABC-001] (Rare)\r\n名前 ×3\n0x だめ\n"
    looked = pages.submit(browser, "/me/cards/paste?side=want", text=text)
    page = pages.get(browser, looked.location)
    assert looked.status_code == 303
    assert "2行を読みとりました" in pages.text(page)
    assert "1行は読みとれませんでした" in pages.text(page)
    assert listed(alice, WANT) == []

    done = pages.send(browser, looked.location, page, mode="set")

    assert listed(alice, WANT) == [
        CardLine("竜の名前", 2, "ABC-001", "Rare"),
        CardLine("名前", 3),
    ]
    left = pages.get(browser, done.location)
    assert "0x だめ" in left
    assert "読みとれなかった1行" in pages.text(left)
    assert listed(alice, HAVE) == []


def test_the_same_import_again_changes_nothing_or_adds_up(browser, alice):
    for mode, copies in (("set", 2), ("set", 2), ("sum", 4), ("whole", 2)):
        looked = pages.submit(browser, "/me/cards/paste", text="竜 ×2")
        pages.submit(browser, looked.location, mode=mode)
        assert listed(alice) == [CardLine("竜", copies)]

    put(alice, have=["虎"])
    looked = pages.submit(browser, "/me/cards/paste", text="狐")
    assert "新しい行1、変わる行0、外れる行2" in pages.text(
        pages.get(browser, looked.location)
    )
    done = pages.submit(browser, looked.location, mode="whole")
    assert listed(alice) == [CardLine("狐")]
    pages.submit(browser, done.location, "/me/cards/undo")
    assert {line.name for line in listed(alice)} == {"竜", "虎"}


def test_a_file_goes_out_and_comes_back_the_same(browser, alice):
    cards = [
        CardLine("=竜", 2, "TB-1", "レア", "ja", "A", "星霜の札"),
        CardLine('\'+虎, "大"', 1, condition="D", language="other"),
        CardLine("狐", 999, "-1"),
    ]
    put(alice, have=cards)
    sent = browser.get("/me/cards.csv?side=have")
    assert sent.mimetype == "text/csv"
    assert sent.data.startswith(b"\xef\xbb\xbf")
    assert b"'=" in sent.data

    for data in (sent.data, sent.data[3:].decode().encode("cp932")):
        put_in = {"file": (io.BytesIO(data), "cards.csv"), "text": ""}
        looked = pages.submit(browser, "/me/cards/paste?side=want", **put_in)
        pages.submit(browser, looked.location, mode="whole")

        assert listed(alice, WANT) == cards


def test_a_file_that_cannot_be_taken_is_named_and_nothing_is_lost(browser, alice):
    for data, text, sentence in (
        (b"\x81\xff\xfe", "", "文字コード"),
        (b"a" * 400_001, "", "400 KBまで"),
        ("竜".encode(), "虎", "どちらかひとつ"),
        (b"", "", "貼るか、ファイルを選んで"),
    ):
        picked = (io.BytesIO(data), "cards.csv" if data else "")
        answer = pages.submit(browser, "/me/cards/paste", file=picked, text=text)

        assert answer.status_code == 422
        assert sentence in answer.get_data(as_text=True)
        assert f">\n{text}</textarea>" in answer.get_data(as_text=True).replace(
            "\r", ""
        )


def test_a_deck_of_numbers_learns_the_names(browser, alice):
    put(alice, want=[CardLine("黒魔導師", 1, "YDK 46986414")])
    deck = "#main\n46986414\n46986414\n102380\n"

    looked = pages.submit(
        browser, "/me/cards/paste", file=(io.BytesIO(deck.encode()), "x.ydk"), text=""
    )
    assert "YDK 番号" in pages.text(pages.get(browser, looked.location))
    pages.submit(browser, looked.location, mode="sum")

    assert listed(alice) == [
        CardLine("黒魔導師", 2, "YDK 46986414"),
        CardLine("YDK 00102380", 1, "YDK 00102380"),
    ]


def test_a_list_is_shown_to_members_unless_its_owner_hides_it(
    app, browser, log_in, alice, bob
):
    put(alice, have=["竜"], want=["虎"])
    put(bob, want=["竜"])
    others = log_in(bob)

    assert "あなたがほしいカード" in pages.get(others, "/u/alice/cards")
    assert "虎" in pages.get(others, "/u/alice/cards?side=want")
    assert "/login" in app.test_client().get("/u/alice/cards").location
    assert browser.get("/u/alice/cards").location == "/me/cards?side=have"

    pages.submit(browser, "/me/cards", "/me/cards/shown")
    assert others.get("/u/alice/cards").status_code == 404
    assert "自分だけに見えています" in pages.get(browser, "/me/cards")
    pages.submit(browser, "/me/cards", "/me/cards/shown")
    do(
        lambda: db.session.add(
            Block(account_id=alice.id, blocked_id=bob.id, since=clock.now())
        )
    )
    assert others.get("/u/alice/cards").status_code == 404


def test_matches_say_which_cards_and_lead_to_offering_and_drafts(
    browser, alice, bob, charlie, statements
):
    put(alice, have=[CardLine("竜", 2)], want=["虎"])
    assert "いまは、両方向に合う会員がいません" in pages.get(browser, "/matches")
    put(bob, have=[CardLine("虎", 1, "TB-2", condition="B")], want=["リュウ", "竜"])
    put(charlie, have=["虎"], want=["狐"])
    listing = boards.post(bob, have=(boards.HAVE,), now=clock.now())

    with statements() as seen:
        page = pages.get(browser, "/matches")
    few = len(seen)
    said = pages.text(page)
    assert "1人が、あなたのほしいカードを持ち、あなたのカードをほしがっています" in said
    assert "もらえる1枚・渡せる1枚" in said
    assert f"/listings/{listing}/offer" in page
    assert "charlie" not in said

    for n in range(5):
        other = make_account(f"member{n}")
        put(other, have=["虎"], want=["竜"])
    with statements() as seen:
        pages.get(browser, "/matches")
    assert len(seen) == few

    one = pages.get(browser, "/matches/bob")
    assert "TB-2" in one
    assert browser.get("/matches/nobody").status_code == 404
    draft = pages.send(browser, "/matches/bob", one, "/matches/bob/draft")
    filled = pages.get(browser, draft.location)
    assert 'value="竜"' in filled
    assert 'value="TB-2"' in filled


def test_three_are_shown_as_a_ring_when_no_two_match(browser, alice, bob, charlie):
    put(alice, have=["竜"], want=["虎"])
    put(bob, have=["狐"], want=["竜"])
    put(charlie, have=["虎"], want=["狐"])

    said = pages.text(pages.get(browser, "/matches"))

    assert "3人で回すと交換できそうです" in said
    assert (
        said.index("bobさん から charlieさん") > 0 if "bobさん から" in said else True
    )
    assert browser.get("/matches/bob").status_code == 200


def test_a_draft_is_made_of_both_lists(browser, alice):
    put(alice, have=["竜"], want=[CardLine("虎", 200)])

    answer = pages.submit(browser, "/me/cards", "/me/cards/draft")

    page = pages.get(browser, answer.location)
    assert 'value="竜"' in page
    assert 'value="99"' in page
    assert db.session.query(Line).count() == 0
    assert db.session.query(Listing).count() == 1
