import re
from datetime import timedelta

import pytest
from flask import Response
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tests import pages
from tests.accounts.conftest import device_cookie
from tests.accounts.held import the_hold, watch_device
from tests.factories import PASSWORD, count, make_account
from tests.listings import boards
from tradeboard.accounts import passwords, queries
from tradeboard.accounts.models import Device, DeviceUse
from tradeboard.accounts.rules import devices as rules
from tradeboard.accounts.services import devices
from tradeboard.accounts.views import browser
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.core.transaction import send_along, transaction
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState

READY = {
    "have": [{"name": "蒼天の竜", "condition": "A", "quantity": "1"}],
    "want": [{"name": "紅蓮の騎士", "condition": "", "quantity": "1"}],
    "ships_from": "13",
    "ships_to": "domestic",
}
VALUE = r"v1\.k1\.[A-Za-z0-9_-]{22}\.\d+\.[A-Za-z0-9_-]{22}"


@pytest.fixture
def dora(app):
    """She has a password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def test_reading_never_sets_the_cookie(app, alice, log_in):
    client = log_in(alice)

    for path in ("/login", "/register", "/terms", "/me"):
        assert device_cookie(client.get(path)) is None
    assert count(Device) == 0


def test_registering_sets_the_cookie_with_these_flags(register):
    _, answer = register()

    assert re.fullmatch(
        f"device={VALUE}; HttpOnly; SameSite=Lax; Path=/; Max-Age=34560000",
        device_cookie(answer),
    )
    assert count(DeviceUse) == 1


def test_on_https_the_cookie_belongs_to_this_host_alone(app, dora, monkeypatch):
    monkeypatch.setitem(app.config, "SESSION_COOKIE_SECURE", True)
    client = app.test_client()

    page = client.get("/login", base_url="https://localhost").get_data(as_text=True)
    data = pages.form_fields(page, "/login") | {"email": "dora", "password": PASSWORD}
    answer = client.post(
        "/login",
        data=data,
        base_url="https://localhost",
        headers={"Referer": "https://localhost/login"},
    )

    assert re.fullmatch(
        f"__Host-device={VALUE}; Secure; HttpOnly; SameSite=Lax; Path=/; "
        "Max-Age=34560000",
        device_cookie(answer),
    )


def test_the_first_write_sets_it_and_the_next_ones_do_not(app, alice, log_in):
    client = log_in(alice)

    first = pages.submit(client, "/me", "/preferences", button="English")
    second = pages.submit(client, "/me", "/preferences", button="日本語")

    assert device_cookie(first)
    assert device_cookie(second) is None
    assert (count(Device), count(DeviceUse)) == (1, 2)


def draft_of(alice, **changed):
    draft_id = boards.draft(alice, READY | changed, now=clock.now())
    return f"/listings/drafts/{draft_id}"


def send_post(client, url):
    page = client.get("/me").get_data(as_text=True)
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)[1]
    return client.post(f"{url}/post", data={"csrf_token": token, "submit_id": url})


def test_a_known_browser_is_noted_with_a_change_and_without_one(alice, log_in):
    client = log_in(alice)
    pages.submit(client, "/me", "/preferences", button="English")

    with_change = send_post(client, draft_of(alice))
    with_mistakes = send_post(client, draft_of(alice, ships_from=""))

    assert (with_change.status_code, with_mistakes.status_code) == (303, 422)
    assert (count(Device), count(DeviceUse)) == (1, 3)


def test_a_known_browser_that_is_watched_since_holds_before_the_change(
    alice, bob, log_in
):
    client, url = log_in(alice), draft_of(alice)
    pages.submit(client, "/me", "/preferences", button="English")
    watch_device(bob, db.session.scalars(select(Device)).one())

    answer = send_post(client, url)

    assert answer.status_code == 403
    assert the_hold().account_id == alice.id
    assert count(Listing, Listing.state == ListingState.DRAFT) == 1
    assert (count(Device), count(DeviceUse)) == (1, 2)


def test_it_survives_the_log_out(dora, sign_in):
    client, answer = sign_in("dora")
    value = client.get_cookie("device").value

    pages.submit(client, "/me", "/logout")
    sign_in("dora", client=client)

    assert client.get_cookie("device").value == value
    assert count(Device) == 1


def test_a_tampered_cookie_is_a_new_browser_and_no_error(app, alice, log_in):
    client = log_in(alice)
    pages.submit(client, "/me", "/preferences", button="English")
    good = client.get_cookie("device").value
    client.set_cookie("device", good[:-1] + ("A" if good[-1] != "A" else "B"))

    assert client.get("/me").status_code == 200
    answer = pages.submit(client, "/me", "/preferences", button="日本語")

    assert answer.status_code == 303
    assert device_cookie(answer)
    assert count(Device) == 2


def test_an_old_signature_is_made_anew_for_the_same_browser(app):
    now = clock.now()
    first = devices.recognise(None, now=now)

    later = devices.recognise(first.cookie, now=now + timedelta(days=31))
    soon = devices.recognise(first.cookie, now=now + timedelta(days=30))

    assert (later.key, later.is_new) == (first.key, False)
    assert later.cookie != first.cookie
    assert soon.cookie is None


def test_a_code_that_is_taken_gets_a_counter(app, alice):
    now = clock.now()
    seen = devices.recognise(None, now=now)
    taken = rules.code_from(keyring.mac("device-public", seen.key))
    with transaction():
        db.session.add(
            Device(key="x", kid="k1", code=taken, first_seen=now, last_seen=now)
        )

    with transaction():
        device = devices.record_use(seen, alice, now=now)

    assert device.code != taken
    assert rules.parse_code(device.code) == device.code


def test_the_devices_of_a_time_are_found(app, alice, bob):
    now = clock.now()
    with transaction():
        for account, hours in ((alice, 0), (alice, 5), (bob, 2)):
            devices.record_use(
                devices.recognise(None, now=now),
                account,
                now=now + timedelta(hours=hours),
            )

    found = queries.devices_used(
        alice.id, since=now + timedelta(hours=1), until=now + timedelta(hours=5)
    )

    assert len(found) == 1


def test_a_log_in_from_a_new_browser_is_told(dora, sign_in, mails):
    known, _ = sign_in("dora")
    assert mails("new_device.txt") == []

    sign_in("dora")
    pages.submit(known, "/me", "/logout")
    sign_in("dora", client=known)

    codes = [facts["code"] for _, _, facts in mails("new_device.txt")]
    assert codes == [
        db.session.scalars(select(Device).order_by(Device.id)).all()[1].code
    ]


def test_neither_cookie_nor_key_is_shown_anywhere(dora, sign_in):
    client, _ = sign_in("dora")
    device = db.session.scalars(select(Device)).one()
    secret = client.get_cookie("device").value.split(".")[2]

    for path in ("/me", "/me/devices"):
        page = pages.get(client, path)
        assert device.code in page
        assert device.key not in page
        assert secret not in page


def test_old_carrier_headers_and_spellings_change_nothing(app, alice, log_in):
    client = log_in(alice)

    answer = client.get(
        "/me", headers={"X-DCMGUID": "0123456", "X-UP-SUBNO": "0500_ma.ezweb.ne.jp"}
    )

    assert device_cookie(answer) is None


@pytest.mark.parametrize(
    "outage", [OperationalError("", None, OSError()), PoolTimeout()]
)
def test_an_answer_stands_though_the_use_of_its_browser_is_not_noted(app, outage):
    def fail():
        raise outage

    answer = Response("いまは確認できません", 503)
    send_along(fail)
    try:
        assert browser.keep_the_rest(answer) is answer
    finally:
        send_along(None)
