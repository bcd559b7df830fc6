"""What the held person sees, and what nobody else does."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import pages
from tests.accounts.conftest import words_of
from tests.accounts.held import (
    mails_to,
    make_device,
    make_sibling,
    see,
    standing,
    the_hold,
    the_holds,
    watch_device,
)
from tests.factories import MONDAY, PASSWORD, count, make_account
from tests.soaks import browsing
from tests.worlds import make_listing, make_trade
from tradeboard.accounts import jobs, passwords, queries
from tradeboard.accounts.models import Account, Device, Hold, StaffNote
from tradeboard.accounts.rules.holds import HoldDecision, NoteKind
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import holds, notes, watching
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

HELD = Standing.HELD


@pytest.fixture
def listed_browser(app, bob, log_in):
    """Bob wrote from this browser and is barred; he has logged out since."""
    client = log_in(bob)
    pages.submit(client, "/me", "/preferences", button="theme=auto")
    watch_device(bob, db.session.scalars(select(Device)).one())
    pages.submit(client, "/me", "/logout")
    return client


@pytest.fixture
def dora(app, bob):
    """She is held since Bob's browser was hers a moment ago."""
    device = make_device()
    watch_device(bob, device)
    dora = make_sibling()
    see(dora, device, now=clock.now())
    return dora


def path_of(hold):
    return f"/me/holds/{hold.id}"


def state(client, path, words):
    return pages.submit(client, path, path, statement=words)


def test_who_registers_in_a_listed_browser_gets_an_account_that_is_held(
    listed_browser, register
):
    client, answer = register(client=listed_browser)

    assert answer.status_code == 303
    dora = db.session.scalars(select(Account).where(Account.handle == "dora")).one()
    assert (standing(dora), mails_to(dora)) == (HELD, ["held"])
    for path in ("/", "/me", path_of(the_hold())):
        assert client.get(path).status_code == 200


def test_who_logs_in_there_is_held_and_signed_in(listed_browser, sign_in):
    emil = make_account("emil", password_hash=passwords.hash_password(PASSWORD))

    client, answer = sign_in("emil", client=listed_browser)

    assert (answer.status_code, standing(emil)) == (303, HELD)
    assert client.get("/me").status_code == 200


def test_the_first_write_there_is_refused_already(app, listed_browser, log_in):
    emil = make_account("emil")
    listing_id = make_listing(emil, at=clock.now()).id
    client = log_in(emil)
    client.set_cookie("device", listed_browser.get_cookie("device").value)
    data = pages.form_fields(pages.get(client, "/me"), "/logout")

    answer = client.post(
        f"/listings/{listing_id}/renew", data=data | {"submit_id": "a press"}
    )

    assert (answer.status_code, standing(emil)) == (403, HELD)
    assert "運営の確認が終わるまで" in words_of(answer)


def test_reading_in_a_listed_browser_holds_nobody(app, listed_browser, log_in):
    emil = make_account("emil")
    client = log_in(emil)
    client.set_cookie("device", listed_browser.get_cookie("device").value)

    for path in ("/", "/me", "/todo"):
        client.get(path)

    assert (the_holds(), standing(emil)) == ([], Standing.GOOD)


def test_a_browser_with_a_forged_cookie_is_a_new_one(app, listed_browser, log_in):
    emil = make_account("emil")
    client = log_in(emil)
    value = listed_browser.get_cookie("device").value
    client.set_cookie("device", value[:-1] + ("A" if value[-1] != "A" else "B"))

    pages.submit(client, "/me", "/preferences", button="theme=auto")

    assert the_holds() == []


def test_the_page_says_what_why_and_until_when_but_not_whom(bob, dora, log_in):
    hold = the_hold()
    client = log_in(dora)

    page = pages.get(client, path_of(hold))
    words = pages.text(page)

    for said in ("端末の照合による保留", "自動で終わります", "あと2日23時間", "家族"):
        assert said in words
    for secret in ("bob", "entry", "E-1", "D-0000-0001"):
        assert secret not in page.split("<main")[1].split("</main")[0]


def test_the_page_names_a_number_in_general_terms(bob, dora, log_in):
    with transaction():
        db.session.get_one(Hold, the_hold().id).signal = "phone"

    words = pages.text(pages.get(log_in(dora), path_of(the_hold())))

    assert "電話番号の照合による保留" in words


def test_the_page_is_the_persons_own(alice, bob, moderator, dora, log_in):
    path = path_of(the_hold())

    for other in (alice, bob, moderator):
        client = log_in(other)
        assert client.get(path).status_code == 404
        data = pages.form_fields(pages.get(client, "/me"), "/logout")
        assert client.post(path, data=data).status_code == 404


def test_a_note_has_no_page(app, bob, log_in):
    device = make_device(shared=True)
    watch_device(bob, device)
    emil = make_account("emil")
    see(emil, device, now=clock.now())
    client = log_in(emil)

    assert client.get(path_of(the_hold())).status_code == 404
    assert "保留" not in pages.text(pages.get(client, "/me"))


def test_a_statement_is_kept_and_shown_for_changing(dora, log_in):
    client, path = log_in(dora), path_of(the_hold())

    assert state(client, path, "弟の端末です。\n二人で使います。").status_code == 303
    page = pages.get(client, path)
    assert "弟の端末です。" in page
    assert state(client, path, "弟と共用です。").status_code == 303

    assert the_hold().statement == "弟と共用です。"


@pytest.mark.parametrize("words", [" ", "長" * 2001])
def test_what_breaks_a_rule_is_not_lost(dora, log_in, words):
    client, path = log_in(dora), path_of(the_hold())

    answer = state(client, path, words)

    assert answer.status_code == 422
    assert words in answer.get_data(as_text=True)
    assert the_hold().statement == ""


def test_what_comes_after_the_decision_is_not_lost_either(dora, moderator, log_in):
    client, path = log_in(dora), path_of(the_hold())
    state(client, path, "弟の端末です。")
    page = pages.get(client, path)
    hold = the_hold()
    with transaction():
        holds.decide(
            hold.id,
            HoldDecision.UNRELATED,
            "家族の端末です。",
            version=hold.version,
            by=moderator,
            now=clock.now(),
        )

    data = pages.form_fields(page, path) | {"statement": "もう一つあります。"}
    answer = client.post(path, data=data)

    assert answer.status_code == 409
    assert "もう一つあります。" in answer.get_data(as_text=True)
    assert "この保留は終わりました" in words_of(client.get(path))
    assert "家族の端末です" not in words_of(client.get(path))


def test_the_account_page_names_the_hold(dora, log_in):
    words = pages.text(pages.get(log_in(dora), "/me"))

    assert "端末・電話番号の照合による保留" in words
    assert "bob" not in words


def test_both_mails_name_neither_person_nor_entry(app, bob, dora):
    hold = the_hold()
    with transaction():
        holds.release(hold.id, now=hold.until)
    hold_id = the_hold().id

    db.session.rollback()
    mails = db.session.scalars(select(OutboxMail)).all()
    assert len(mails) == 2
    db.session.expunge_all()
    for mail in mails:
        for mail.language in ("ja", "en"):
            text = "\n".join(mailer.render(mail))
            assert f"/me/holds/{hold_id}" in text
            for secret in ("bob", "entry", "E-1", "D-0000"):
                assert secret not in text


def test_a_running_trade_goes_on_and_the_partner_sees_no_hold(alice, bob, log_in):
    trade = make_trade(alice, bob, at=clock.now() - timedelta(hours=1))
    partner, client = log_in(alice), log_in(bob)
    room = f"/trades/{trade.id}"
    device = make_device()
    watch_device(make_account("carl"), device)
    with browsing.at(clock.now()):
        before = pages.get(partner, room)

        see(bob, device, now=clock.now())

        assert standing(bob) is HELD
        assert pages.text(pages.get(partner, room)) == pages.text(before)
    assert client.get(f"{room}/dispatch").status_code == 200


def test_the_partner_sees_that_somebody_is_listed(alice, bob, log_in):
    trade = make_trade(alice, bob, at=clock.now() - timedelta(hours=1))
    with transaction():
        db.session.get_one(Account, bob.id).standing = Standing.LISTED

    assert "登録あり" in pages.text(pages.get(log_in(alice), f"/trades/{trade.id}"))


def test_nobody_else_sees_a_hold_anywhere(alice, bob, dora, log_in, app):
    member, stranger = log_in(alice), app.test_client()
    paths = ("/u/dora", "/blacklist?handle=dora", "/api/v1/blacklist/check?handle=dora")
    asked = [(client, path) for client in (member, stranger) for path in paths]
    with browsing.at(clock.now()):
        with_hold = [view(client, path) for client, path in asked]
        with transaction():
            holds.release(the_hold().id, now=the_hold().until)

        without = [view(client, path) for client, path in asked]

    for one, other in zip(with_hold, without, strict=True):
        assert one == other
    assert not any("保留" in body for _, _, body in with_hold)


def view(client, path):
    """Return what an answer says, but for what is different each time."""
    answer = client.get(path)
    told = {"Date", "X-Request-ID", "Set-Cookie"}
    headers = sorted((k, v) for k, v in answer.headers.items() if k not in told)
    headers = [(k, v) for k, v in headers if k not in ("Content-Length", "ETag")]
    words = re.sub(r'"as_of":"[^"]*"', "", words_of(answer))
    return answer.status_code, headers, words


def test_an_account_that_goes_takes_its_holds_and_notes_along(app, bob):
    device = make_device()
    emil = make_account("emil", confirmed=False, agreed=False, created_at=MONDAY)
    watch_device(bob, device)
    see(emil, device)
    with transaction():
        notes.note(NoteKind.EMAIL, emil.id, detail="role", now=MONDAY)
        notes.note(NoteKind.KEYS_MEET, bob.id, other_id=emil.id, now=MONDAY)
    see(make_sibling(), device)

    assert jobs.forget_unconfirmed(MONDAY + timedelta(days=7)) == 1

    assert (len(the_holds()), count(StaffNote)) == (1, 0)
    assert queries.find_by_handle("emil") is None


def test_a_browser_that_is_watched_or_holds_somebody_is_not_forgotten(app, bob):
    later = MONDAY + timedelta(days=401)
    device, plain = make_device(), make_device("D-0000-0002")
    device_id, plain_id = device.id, plain.id
    watch_device(bob, device)
    see(make_sibling(), device)

    jobs.forget_old_rows(later)
    assert left(device_id)
    assert not left(plain_id)
    with transaction():
        watching.end("entry:1")
    jobs.forget_old_rows(later)
    assert left(device_id)
    with transaction():
        holds.release(the_hold().id, now=later)
    jobs.forget_old_rows(later)
    assert not left(device_id)
    assert the_hold().device_id is None


def left(device_id):
    db.session.rollback()
    return db.session.get(Device, device_id) is not None
