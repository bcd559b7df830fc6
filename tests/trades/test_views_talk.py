"""Messages in the room: kept, sent, read, asked for; and what an open page asks."""

import re
from datetime import timedelta
from html import unescape

import pytest

from tests import pages
from tests.factories import count, in_transaction
from tests.trades import rooms
from tests.trades.test_views_shipping import picture
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import clock, drafts
from tradeboard.core.db import db
from tradeboard.trades import queries
from tradeboard.trades.models import Message, MessagePhoto
from tradeboard.trades.views import room as views_room
from tradeboard.trades.views import talk, uploads

A_DAY = timedelta(days=1)
NUDGE = "届きましたか。届いていたら、受け取りの記録をお願いします。"


@pytest.fixture
def room(alice, bob):
    """A trade in which alice's parcel is on its way; its room."""
    trade = make_trade(alice, bob, sent_by=[alice], at=clock.now() - 3 * A_DAY)
    return trade.id, f"/trades/{trade.id}"


def say(client, url, **fields):
    return pages.submit(client, url, f"{url}/messages", **fields)


def messages():
    db.session.rollback()
    return db.session.query(Message).order_by(Message.id).all()


def test_a_message_is_read_once_and_everywhere(log_in, alice, bob, room):
    trade_id, url = room
    hers, his = log_in(alice), log_in(bob)
    say(hers, url, text="こんばんは")
    say(hers, url, text="明日着くそうです")

    phone = pages.get(his, url)
    assert "未読2件" in phone
    assert "未読2件" in pages.get(his, "/trades")
    assert "既読" not in pages.text(pages.get(hers, url)).replace("既読にする", "")
    seen = messages()[0].id
    pages.send(his, url, phone, f"{url}/read", seen=str(seen))
    assert [m.read_at is not None for m in messages()] == [True, False]
    # Answering is reading, on a page of another device as well.
    assert say(log_in(bob), url, text="わかりました").status_code == 303

    assert queries.unread_of(bob.id) == {}
    assert queries.unread_of(alice.id) == {trade_id: 1}
    assert "data-seen" not in pages.get(his, url)
    assert pages.get(hers, url).count(">既読<") == 2


def test_a_ready_sentence_is_sent_as_it_is_and_a_nudge_once_in_two_days(
    log_in, alice, bob, room
):
    _, url = room
    hers = log_in(alice)

    answer = say(hers, url, button="phrase=nudge", text="書きかけ")

    assert answer.status_code == 303
    assert messages()[0].phrase == "nudge"
    page = pages.get(hers, url)
    assert NUDGE in page
    # What stood in the box is still there; the next nudge waits for two days.
    assert pages.find_form(page, f"{url}/messages").values()["text"] == "書きかけ"
    assert "たずねられるのは48時間に1回です" in page
    again = say(hers, url, phrase="nudge")
    assert again.status_code == 429
    assert count(Message) == 1
    # Bob sends nothing, so there is nothing that he could ask after.
    assert say(log_in(bob), url, phrase="nudge").status_code == 422


def test_photos_wait_with_the_draft_and_go_with_the_message(
    log_in, alice, bob, charlie, room
):
    trade_id, url = room
    hers = log_in(alice)

    kept = say(hers, url, button="do=photo", text="角の写真です", photo=picture())

    assert kept.status_code == 303
    assert "角の写真です" in pages.get(log_in(alice), url)
    page = pages.get(hers, url)
    assert "/messages/kept/" in page
    assert "角の写真です" in page
    waiting = drafts.find(alice.id, queries.MESSAGE_DRAFT, trade_id)["photos"][0][0]
    assert queries.named_photos([waiting, "0" * 32]) == {waiting}
    assert queries.sent_photos([waiting]) == set()
    assert pages.send(hers, url, page, f"{url}/messages").status_code == 303
    db.session.rollback()
    assert drafts.find(alice.id, queries.MESSAGE_DRAFT, trade_id) is None
    assert db.session.query(MessagePhoto).one().id == waiting
    photo = f"/messages/photos/{waiting}-480.jpg"
    answer = log_in(bob).get(photo)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert log_in(charlie).get(photo).status_code == 404


def test_messages_and_photos_are_throttled_and_nothing_typed_is_lost(
    log_in, alice, room, monkeypatch
):
    hers, url = log_in(alice), room[1]

    monkeypatch.setattr(uploads, "PHOTOS", "1 per day")
    for text, status in (("一枚め", 303), ("二枚め", 429)):
        answer = say(hers, url, button="do=photo", text=text, photo=picture())
        assert answer.status_code == status
    assert "二枚め" in answer.text
    monkeypatch.setattr(talk, "MESSAGES", "1 per hour")
    for text, status in (("三つめ", 303), ("四つめ", 429)):
        answer = say(hers, url, button="do=send", text=text)
        assert answer.status_code == status
    assert "四つめ" in answer.text
    assert count(Message) == 1


def test_what_is_typed_is_kept_on_the_server_until_it_is_sent(log_in, alice, bob, room):
    trade_id, url = room
    hers = log_in(alice)
    page = pages.get(hers, url)
    fields = pages.form_fields(page, f"{url}/messages") | {"text": "途中まで"}

    said = hers.post(f"{url}/messages/draft", data=fields)

    assert "下書きに残しました" in said.text
    assert "<html" not in said.text
    assert "途中まで" in pages.get(log_in(alice), url)
    assert "途中まで" not in pages.get(log_in(bob), url)
    # A save that comes after the sending keeps nothing.
    assert (
        pages.send(hers, url, page, f"{url}/messages", text="全部").status_code == 303
    )
    hers.post(f"{url}/messages/draft", data=fields)
    db.session.rollback()
    assert drafts.find(alice.id, queries.MESSAGE_DRAFT, trade_id) is None
    assert log_in(bob).post(f"/trades/{trade_id + 1}/messages/draft").status_code in (
        400,
        404,
    )


def test_an_open_room_hears_only_of_what_moved(log_in, alice, bob, charlie, room):
    trade_id, url = room
    hers, his = log_in(alice), log_in(bob)
    first = hers.get(f"{url}/live")
    mark = {"If-None-Match": first.headers["ETag"]}

    assert 'id="room-now"' in first.text
    assert "<html" not in first.text
    quiet = hers.get(f"{url}/live", headers=mark)
    assert (quiet.status_code, quiet.data) == (304, b"")
    say(his, url, text="いま見ました")
    moved = hers.get(f"{url}/live", headers=mark)

    assert moved.status_code == 200
    assert "いま見ました" in moved.text
    assert moved.headers["ETag"] != first.headers["ETag"]
    assert log_in(charlie).get(f"{url}/live").status_code == 404


def test_an_open_room_hears_of_no_hold(log_in, alice, bob, room, monkeypatch):
    monkeypatch.setattr(views_room, "CLOCK_MOVES", 10**12)
    hers, url = log_in(alice), f"{room[1]}/live"
    mark = {"If-None-Match": hers.get(url).headers["ETag"]}

    for standing, status in ((Standing.HELD, 304), (Standing.LISTED, 200)):
        with in_transaction():
            db.session.get_one(Account, bob.id).standing = standing
        assert hers.get(url, headers=mark).status_code == status


def test_help_leads_to_the_act_for_this_parcel(log_in, alice, bob, room):
    _, url = room
    hers, his = (pages.get(log_in(who), f"{url}/help") for who in (alice, bob))

    # Hers is on its way, his is not sent.
    assert 'id="contest"' in hers
    assert 'id="missing"' not in hers
    assert 'id="unsent"' in hers
    assert "/contest" in hers
    assert 'id="missing"' in his
    assert 'id="differs"' in his
    assert 'id="withhold"' in his
    assert 'id="contest"' not in his
    asked = pages.get(log_in(bob), f"{url}/help?about=missing")
    assert '<details id="missing" name="way" open>' in asked
    receipt = pages.get(log_in(bob), f"{url}/receive?condition=differs")
    form = pages.find_form(receipt, names={"arrived_on"})
    assert form.values()["condition"] == "differs"


def test_the_record_has_the_facts_and_none_of_the_secrets(log_in, alice, room):
    _, url = room

    sheet = pages.get(log_in(alice), f"{url}/record")

    for fact in ("合意した内容", "蒼天の竜", "2つの荷物", "これまでとこれから"):
        assert fact in sheet
    assert not [word for word in (*rooms.NUMBERS, *rooms.ADDRESSES) if word in sheet]


def test_an_offer_is_kept_until_it_is_sent_or_left(log_in, alice, bob):
    from tests.worlds import make_listing

    listing = make_listing(alice)
    his, url = log_in(bob), f"/listings/{listing.id}/offer"

    kept = pages.submit(his, url, button="do=draft", note="まだ考えています")

    assert kept.status_code == 303
    assert "まだ考えています" in pages.get(log_in(bob), url)
    page = pages.get(his, url)
    assert "下書きの続きです" in page
    assert "まだ考えています" in page
    left = pages.send(his, url, page, button="捨てて")
    assert left.status_code == 303
    assert "まだ考えています" not in pages.get(his, url)
    pages.submit(his, url, button="do=draft", note="送ります")
    sent = pages.submit(his, url, button="do=send")
    assert sent.status_code == 303
    assert "送ります" in pages.get(log_in(alice), sent.location)
    db.session.rollback()
    assert drafts.find(bob.id, "offer", listing.id) is None


def test_three_taps_lead_from_a_parcel_to_the_rule_and_a_report(
    log_in, alice, bob, room
):
    """Scenario 16: a tap is a link or a button; what is typed between is none."""
    trade_id, url = room
    hers, his = log_in(alice), log_in(bob)

    # Hers is on its way: one tap to its rule, the second claims that it came.
    contest = link_to(pages.get(hers, url), f"{url}/help", "about=contest")
    page = pages.get(hers, contest)
    assert '<details id="contest" name="way" open>' in page
    assert "配達の日と証拠を期限より前に出してください" in page
    leg = queries.get_trade(trade_id).leg_from(alice.id).id
    action = f"/trades/legs/{leg}/contest"
    sent = pages.send(hers, contest, page, action, photo=picture())
    assert sent.status_code == 303
    # He waits for it: rule, form, report.
    differs = link_to(pages.get(his, url), f"{url}/help", "about=differs")
    page = pages.get(his, differs)
    assert '<details id="differs" name="way" open>' in page
    assert "モデレーターにも知らせます" in page
    form = link_to(page, f"{url}/receive", "condition=differs")
    words = {"words": "角が折れています", "photo": picture()}
    told = pages.submit(his, form, f"/trades/legs/{leg}/receipt", **words)
    assert told.status_code == 303

    db.session.rollback()
    found = queries.get_trade(trade_id).leg_from(alice.id)
    assert found.contested_at is not None
    assert found.condition == "differs"


def link_to(page, path, query):
    """Return where a link of a page leads that has this path and this question."""
    [found] = {
        unescape(link)
        for link in re.findall(r'href="([^"]+)"', page)
        if link.startswith(path) and query in link
    }
    return found.partition("#")[0]
