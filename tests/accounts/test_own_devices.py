"""The own browsers: named in private, and signed out one by one."""

import pytest
from sqlalchemy import select

from tests import pages
from tests.factories import PASSWORD, count, make_account
from tradeboard.accounts import passwords
from tradeboard.accounts.models import Device, DeviceName
from tradeboard.accounts.services import naming
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction


@pytest.fixture
def dora(app):
    """She has a password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


@pytest.fixture
def two(dora, sign_in):
    """Two of her browsers, both signed in, and their codes."""
    here, _ = sign_in("dora")
    there, _ = sign_in("dora")
    codes = [device.code for device in devices()]
    return here, there, codes


def devices():
    db.session.rollback()
    return db.session.scalars(select(Device).order_by(Device.id)).all()


def name(client, code, name):
    return pages.submit(client, "/me/devices", f"/me/devices/{code}/name", name=name)


def sign_out(client, code):
    return pages.submit(client, "/me/devices", f"/me/devices/{code}/sign-out")


def test_each_browser_stands_with_code_times_and_state(two):
    here, there, codes = two
    sign_out(here, codes[1])

    page = pages.text(pages.get(here, "/me/devices"))

    assert all(code in page for code in codes)
    assert page.count("はじめて使った日時") == 2
    assert "この端末" in page
    assert "ログアウト済み" in page


def test_a_name_is_kept_and_taken_back(two):
    here, _, codes = two

    assert name(here, codes[0], "  居間の  パソコン ").status_code == 303
    assert "居間の パソコン" in pages.get(here, "/me/devices")

    name(here, codes[0], "")
    assert count(DeviceName) == 0


def test_a_name_may_have_forty_characters(two):
    here, _, codes = two

    assert name(here, codes[0], "あ" * 40).status_code == 303
    answer = name(here, codes[1], "い" * 41)

    assert answer.status_code == 422
    assert "40字までです" in pages.text(answer.text)
    assert "い" * 41 in answer.text
    assert count(DeviceName) == 1


def test_a_name_is_nobody_elses_to_read(two, log_in, moderator, dora):
    here, _, codes = two
    name(here, codes[0], "居間のパソコン")

    desk = pages.get(log_in(moderator), f"/desk/people/{dora.id}")

    assert codes[0] in desk
    assert "居間のパソコン" not in desk


def test_signing_one_out_ends_it_at_once_and_no_other(two):
    here, there, codes = two
    replayed = there.get_cookie("session").value

    answer = sign_out(here, codes[1])

    assert answer.status_code == 303
    assert there.get("/me").location == "/login?next=/me"
    there.set_cookie("session", replayed)
    assert there.get("/me").location == "/login?next=/me"
    assert pages.get(here, "/me")


def test_this_browser_can_be_signed_out_too(two):
    here, there, codes = two

    sign_out(here, codes[0])

    assert here.get("/me").status_code == 303
    assert pages.get(there, "/me")


def test_the_browser_keeps_its_code_after_that(two, sign_in):
    here, there, codes = two
    sign_out(here, codes[1])

    sign_in("dora", client=there)

    assert [device.code for device in devices()] == codes


@pytest.mark.parametrize("verb", ["name", "sign-out"])
def test_other_peoples_browsers_are_not_found(two, log_in, alice, verb):
    _, there, codes = two
    client = log_in(alice)
    pages.submit(client, "/me", "/preferences", button="English")
    fields = pages.form_fields(pages.get(client, "/me/devices"), "/logout")

    for code in (codes[1], "D-0000-0000", "nonsense"):
        answer = client.post(f"/me/devices/{code}/{verb}", data=fields)
        assert answer.status_code == 404
    assert pages.get(there, "/me")
    assert count(DeviceName) == 0


def test_the_page_asks_as_often_for_many_browsers(two, sign_in, statements):
    here, _, _ = two
    with statements() as few:
        pages.get(here, "/me/devices")
    for _ in range(3):
        sign_in("dora")
    with statements() as many:
        pages.get(here, "/me/devices")

    assert len(devices()) == 5
    assert len(many) == len(few)


def test_a_browser_of_two_has_a_name_for_each(two, sign_in, alice):
    here, _, codes = two
    name(here, codes[0], "居間のパソコン")
    make_account("eve", password_hash=passwords.hash_password(PASSWORD))
    pages.submit(here, "/me", "/logout")
    sign_in("eve", client=here)

    page = pages.get(here, "/me/devices")

    assert codes[0] in page
    assert "居間のパソコン" not in page


def test_the_desk_reads_first_and_last_and_who_else_wrote_from_it(
    two, sign_in, log_in, moderator, dora, app
):
    here, _, codes = two
    eve = make_account("eve", password_hash=passwords.hash_password(PASSWORD))
    pages.submit(here, "/me", "/logout")
    sign_in("eve", client=here)
    with transaction():
        naming.rename(dora, "みなと", now=clock.now())

    page = pages.get(log_in(moderator), f"/desk/people/{dora.id}")

    assert "これまでのハンドル" in page
    assert '<bdi lang="">dora</bdi>' in page
    assert all(code in page for code in codes)
    assert page.count(f'href="/desk/people/{eve.id}"') == 1
