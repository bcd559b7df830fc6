"""Searches that members keep, and the one mail a day about what is new in them."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from tests.factories import MONDAY, count, in_transaction, make_account
from tests.listings import boards
from tests.page_forms import get, submit, text
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.listings import jobs
from tradeboard.listings.models import SavedSearch
from tradeboard.listings.rules import LineData, search
from tradeboard.listings.services import searching
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def keep(by, now=MONDAY, **asked):
    return boards.do(searching.keep, asked, by=by, now=now).id


def offer(by, name, now):
    return boards.post(by, have=[LineData(name, 1, condition="A")], now=now)


def mails():
    db.session.rollback()
    kind = OutboxMail.template == "listings/mail/saved_search.txt"
    return db.session.scalars(select(OutboxMail).where(kind)).all()


def test_a_search_reads_back_as_it_was_kept():
    asked = {"q": "100% 竜&龍", "cond": "ab", "photo": "1"}

    assert search.kept(search.to_keep(asked)) == asked
    assert search.kept("q=a&cond=zz&nonsense=1&lang=en") == {"q": "a", "lang": "en"}
    assert search.kept("q=" + "a" * 9000) == {}


def test_one_mail_a_day_tells_of_what_is_new_and_once(app, alice, bob):
    offer(bob, "古い竜", MONDAY - HOUR)
    keep(alice, q="竜")
    keep(alice, MONDAY + HOUR, q="狐", cond="ab")
    keep(alice, q="鶴")
    offer(bob, "竜", MONDAY + 2 * HOUR)
    offer(alice, "自分の竜", MONDAY + 2 * HOUR)
    offer(bob, "狐", MONDAY + 3 * HOUR)

    assert jobs.mail_searches(MONDAY + DAY - HOUR) == 0
    assert jobs.mail_searches(MONDAY + DAY) == 1
    assert jobs.mail_searches(MONDAY + DAY + HOUR) == 0

    (mail,) = mails()
    subject, body = mailer.render(mail)
    assert subject == "保存した検索に、新しい募集があります"
    assert "■ 竜\n\n・竜\n" in body
    assert "■ 狐・カードの状態 A・B\n\n・狐\n" in body
    assert "古い" not in body
    assert "自分" not in body
    assert "鶴" not in body
    assert body.count("/me/searches") == 1

    jobs.mail_searches(MONDAY + 2 * DAY)
    assert len(mails()) == 1
    offer(bob, "竜", MONDAY + 2 * DAY + HOUR)
    jobs.mail_searches(MONDAY + 3 * DAY)
    assert len(mails()) == 2


def test_no_mail_of_a_search_whose_mail_is_off(alice, bob):
    search_id = keep(alice, q="竜")
    boards.do(searching.set_mail, search_id, False, by=alice, now=MONDAY)
    offer(bob, "竜", MONDAY + HOUR)
    assert jobs.mail_searches(MONDAY + 2 * DAY) == 0

    boards.do(searching.set_mail, search_id, True, by=alice, now=MONDAY + DAY)

    jobs.mail_searches(MONDAY + 3 * DAY)
    assert mails() == []


def test_no_mail_to_an_address_that_is_not_confirmed(app, bob):
    keep(make_account("nobody", confirmed=False), q="竜")
    offer(bob, "竜", MONDAY + HOUR)

    jobs.mail_searches(MONDAY + 2 * DAY)

    assert mails() == []


def test_a_search_for_what_wants_my_cards(alice, bob):
    keep(alice, mine="1")
    boards.own_card(alice, "異界への門")
    boards.post(bob, want=[LineData("異界への門", 1)], now=MONDAY + HOUR)

    jobs.mail_searches(MONDAY + DAY)

    assert "■ 持っているカードを求めている" in mailer.render(mails()[0])[1]


def test_ten_searches_are_kept_and_the_same_one_once(alice, bob):
    ids = {keep(alice, q=f"札{n}") for n in range(10)}
    assert keep(alice, q="札3") in ids

    with pytest.raises(RuleBroken):
        keep(alice, q="札10")
    with pytest.raises(RuleBroken):
        keep(bob, new="1")
    with pytest.raises(NotFound):
        boards.do(searching.forget, min(ids), by=bob, now=MONDAY)


def test_keeping_switching_and_deleting_by_buttons(log_in, alice, bob):
    client = log_in(alice)
    boards.post(bob, now=clock.now() - HOUR)

    answer = submit(client, "/?q=蒼天&cond=ab&new=1", "/me/searches")
    page = text(get(client, answer.location))
    assert "蒼天・カードの状態 A・B" in page
    assert "いま1件・メールで知らせる" in page
    assert "保存した検索です。" in text(get(client, "/?q=蒼天&cond=ab"))

    (kept,) = db.session.scalars(select(SavedSearch)).all()
    address = f"/me/searches/{kept.id}"
    submit(client, "/me/searches", f"{address}/mail", button="メールを止める")
    assert "メールなし" in text(get(client, "/me/searches"))
    submit(client, "/me/searches", f"{address}/delete")
    assert count(SavedSearch) == 0
    assert "まだありません" in text(get(client, "/me/searches"))


def test_the_eleventh_is_refused_with_a_way_out(log_in, alice):
    with in_transaction():
        for n in range(10):
            searching.keep({"q": f"札{n}"}, by=alice, now=MONDAY)

    answer = submit(log_in(alice), "/?q=竜", "/me/searches")

    assert answer.status_code == 422
    assert "10件までです" in answer.text


def test_a_sign_that_no_mail_may_have_is_no_part_of_a_search(app, alice, bob):
    asked = search.read({"q": "竜\x1b \x07王", "rarity": "\x01"})
    assert asked == {"q": "竜 王"}

    keep(alice, **asked)
    offer(bob, "竜王", MONDAY + HOUR)
    jobs.mail_searches(MONDAY + DAY)

    (mail,) = mails()
    assert mailer.compose(mail)
