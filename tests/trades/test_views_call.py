import pytest

from tests import pages
from tests.trades import rooms
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.trades.models import PhoneSide
from tradeboard.trades.rules.states import TradeState


@pytest.fixture
def agreed(log_in, alice, bob):
    """A trade that both agreed on, and the browsers of the two."""
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    rooms.accept(hers, trade_id)
    return trade_id, hers, his


def test_one_seal_shows_no_number_to_anybody(agreed):
    trade_id, hers, his = agreed

    rooms.seal(hers, trade_id, rooms.NUMBERS[0], rooms.ADDRESSES[0])

    url = f"/trades/{trade_id}/call"
    assert rooms.NUMBERS[0] not in pages.get(his, url)
    assert "封をしました" in pages.get(his, url)
    assert rooms.NUMBERS[0] not in pages.get(hers, url)
    assert "まだ" in pages.get(hers, url)


def test_a_refused_number_keeps_the_address(agreed):
    trade_id, hers, _ = agreed

    answer = rooms.seal(hers, trade_id, "０９０-123", "東京都の住所 アリス")

    assert answer.status_code == 422
    assert "０９０-123" in answer.text
    assert "東京都の住所 アリス" in answer.text


def test_full_width_digits_are_a_number(agreed):
    trade_id, hers, _ = agreed

    answer = rooms.seal(
        hers, trade_id, "０９０ー１１１１ー２２２２", "東京都の住所 アリス"
    )

    assert answer.status_code == 303


def test_one_number_has_one_key_however_it_is_typed(agreed, alice):
    """Scenario 7."""
    trade_id, hers, _ = agreed
    url = f"/trades/{trade_id}/call"
    home = rooms.ADDRESSES[0]
    ways = ("０９０ー１２３４ー５６７８", "+81 90 1234 5678", "090 1234 5678")

    for number in ways:
        answer = pages.submit(
            hers, f"{url}?change=1", f"{url}/seal", number=number, address=home
        )
        assert answer.status_code == 303, number
        sides = db.session.query(PhoneSide).filter_by(account_id=alice.id)
        assert [side.number_hash for side in sides] == [
            keyring.mac_hex("phone", "+819012345678")
        ]

    refused = pages.submit(
        hers, f"{url}?change=1", f"{url}/seal", number="０９０-123", address=home
    )
    form = pages.find_form(refused.text, f"{url}/seal")
    assert refused.status_code == 422
    assert form.values()["number"] == "０９０-123"
    assert "例：090-1234-5678" in refused.text


def test_both_seals_open_both_numbers_and_no_address(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    url = f"/trades/{trade_id}/call"

    page = hers.get(url)

    assert page.headers["Cache-Control"] == "no-store"
    assert 'href="tel:+818033334444"' in page.text
    assert rooms.ADDRESSES[1] not in page.text
    assert rooms.NUMBERS[0] in pages.get(his, url)
    assert set(rooms.words_on(hers, trade_id)) != set(rooms.words_on(his, trade_id))


def test_wrong_words_count_even_though_they_are_refused(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)

    answer = rooms.type_words(hers, trade_id, ("ちがう", "ことば"))

    assert answer.status_code == 422
    assert "あと4回" in pages.text(answer.text)
    assert "ちがう" in answer.text
    assert rooms.get(trade_id).words_tries == 1


def test_the_same_wrong_try_pressed_twice_counts_once(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    url = f"/trades/{trade_id}/call"
    page = pages.get(hers, url)

    for _ in range(2):
        pages.send(hers, url, page, f"{url}/words", first="ちがう", second="ことば")

    assert rooms.get(trade_id).words_tries == 1


def test_fifteen_wrong_tries_put_it_before_a_moderator(agreed, log_in, moderator):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    url = f"/trades/{trade_id}/call"

    for _ in range(15):
        rooms.type_words(hers, trade_id, ("ちがう", "ことば"))

    page = pages.get(hers, url)
    assert "モデレーターが確かめます" in page
    assert rooms.NUMBERS[1] not in page
    desk = f"/desk/trades/{trade_id}"
    staff = log_in(moderator)
    assert str(trade_id) in pages.get(staff, "/desk/trades")
    assert pages.submit(staff, desk, f"{desk}/round").status_code == 303
    assert rooms.NUMBERS[1] in pages.get(hers, url)


def test_the_right_words_hide_the_numbers_and_open_the_addresses(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    rooms.confirm_call(trade_id, hers, his)

    assert rooms.get(trade_id).state is TradeState.PHONE_CONFIRMED
    assert hers.get(f"/trades/{trade_id}/call").status_code == 303
    room = pages.get(hers, f"/trades/{trade_id}")
    assert rooms.NUMBERS[1] not in room
    dispatch = pages.get(hers, f"/trades/{trade_id}/dispatch")
    assert rooms.ADDRESSES[1] in dispatch
    assert rooms.NUMBERS[1] not in dispatch


def test_either_side_changes_the_language_of_the_words_before_a_try(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    url = f"/trades/{trade_id}/call"

    answer = pages.submit(hers, url, f"{url}/called", button="language=en")

    assert answer.status_code == 303
    assert all(word.isascii() for word in rooms.words_on(his, trade_id))
    assert rooms.type_words(his, trade_id, ("wrong", "words")).status_code == 422
    assert "language=" not in [
        f"{button.name}="
        for form in pages.forms(pages.get(his, url))
        for button in form.buttons
        if "call" in form.action
    ]


def test_a_changed_number_breaks_both_seals(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    url = f"/trades/{trade_id}/call"

    answer = pages.submit(
        hers,
        f"{url}?change=1",
        f"{url}/seal",
        number="090-5555-6666",
        address=rooms.ADDRESSES[0],
    )

    assert answer.status_code == 303
    assert rooms.NUMBERS[1] not in pages.get(hers, url)
    assert "封をする" in pages.get(his, url)


def test_number_and_address_are_refused_together(agreed):
    trade_id, hers, _ = agreed

    for number, address in (("090-123", ""), ("", "〒"), ("090-123", "〒")):
        answer = rooms.seal(hers, trade_id, number, address)

        assert answer.status_code == 422
        assert 'id="number-err"' in answer.text
        assert 'id="address-err"' in answer.text
        assert "入力を2か所なおしてください" in answer.text


def test_a_wrong_number_and_an_empty_address_are_refused_together(agreed):
    trade_id, _, his = agreed

    answer = rooms.seal(his, trade_id, "090-123", "〒")

    assert 'id="number-err"' in answer.text
    assert 'id="address-err"' in answer.text


@pytest.mark.parametrize("shown", ["old", "", "x"])
def test_a_page_from_before_the_new_words_costs_no_try(agreed, shown):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    url = f"/trades/{trade_id}/call"
    old = pages.get(hers, url)
    for _ in range(5):
        rooms.type_words(his, trade_id, ("ちがう", "ことば"))
    typed = {"first": "ちがう", "second": "ことば"}
    if shown != "old":
        typed["shown_round"] = shown

    answer = pages.send(hers, url, old, f"{url}/words", **typed)

    assert answer.status_code == 303
    assert "合言葉が新しくなりました" in pages.get(hers, url)
    assert rooms.get(trade_id).words_tries == 0


def test_a_wrong_try_of_this_round_can_be_tried_again_from_its_answer(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)
    url = f"/trades/{trade_id}/call"
    answer = rooms.type_words(hers, trade_id, ("ちがう", "ことば"))
    first, second = rooms.words_on(his, trade_id)

    again = pages.send(
        hers, url, answer.text, f"{url}/words", first=first, second=second
    )

    assert again.status_code == 303
    assert "合言葉は合っています" in pages.get(hers, url)


def test_the_page_says_how_a_call_is_made_safely(agreed):
    trade_id, hers, his = agreed
    rooms.seal_both(trade_id, hers, his)

    page = pages.text(pages.get(hers, f"/trades/{trade_id}/call"))

    for said in (
        "この画面の番号にかけてください",
        "番号の前に186を付けてください",
        "通話の声でだけ伝えてください",
        "電話リレーサービスのオペレーター",
        "運営が合言葉をたずねることは、電話でもメールでもありません",
        "どちらからかけたかは、取引の記録に残ります",
        "つながらない",
        "番号が違う",
        "番号が表示された記録を見る",
    ):
        assert said in page
    assert "国際電話番号です" not in page


def test_a_number_from_abroad_is_said_to_be_one(agreed):
    trade_id, hers, his = agreed
    rooms.seal(hers, trade_id, rooms.NUMBERS[0], rooms.ADDRESSES[0])
    url = f"/trades/{trade_id}/call"
    pages.submit(
        his,
        url,
        f"{url}/seal",
        number="+44 7911 123456",
        region="GB",
        address=rooms.ADDRESSES[1],
    )

    assert "国際電話番号です" in pages.get(hers, url)
    assert "国際電話番号です" not in pages.get(his, url)


def test_whoever_waits_for_the_partners_seal_reads_what_happens(agreed):
    trade_id, hers, _ = agreed
    rooms.seal(hers, trade_id, rooms.NUMBERS[0], rooms.ADDRESSES[0])

    page = pages.text(pages.get(hers, f"/trades/{trade_id}/call"))

    assert "合意から7日" in page
    assert "どちらの落ち度にもなりません" in page


def test_after_the_call_the_number_is_masked(agreed):
    trade_id, hers, his = agreed
    url = f"/trades/{trade_id}"
    rooms.seal_both(trade_id, hers, his)
    assert "080-****-**44" not in pages.get(hers, url)

    rooms.confirm_call(trade_id, hers, his)

    page = pages.get(hers, url)
    assert "080-****-**44" in page
    assert rooms.NUMBERS[1] not in page


def test_a_sealed_number_is_not_guessed_with_forms_that_seal_nothing(agreed):
    trade_id, hers, his = agreed
    number, address = rooms.NUMBERS[1], rooms.ADDRESSES[0]
    rooms.seal(his, trade_id, number, rooms.ADDRESSES[1])

    empty = rooms.seal(hers, trade_id, number, "")
    whole = [rooms.seal(hers, trade_id, number, address).status_code for _ in range(11)]

    assert "相手と同じ番号" not in pages.text(empty.text)
    assert whole == [422] * 10 + [429]
