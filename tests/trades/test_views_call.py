import pytest

from tests import pages
from tests.trades import rooms
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
