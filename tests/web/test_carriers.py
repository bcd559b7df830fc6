"""Old phones' headers: without effect, and only counted."""

import logging

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from tests import pages
from tests.accounts.conftest import device_cookie
from tests.factories import count
from tradeboard.accounts.models import Device
from tradeboard.core import clock, tally
from tradeboard.core.db import db
from tradeboard.web import carriers

SECRET = "05001234567890_ma"
SER = "ser0123456789abcde"
ICC = "icc0123456789abcdef0123"
FOMA = f"DoCoMo/2.0 P903i(c100;TB;W24H12;{SER};{ICC})"


def counts():
    db.session.rollback()
    rows = db.session.scalars(select(tally.Tally))
    assert {row.day for row in rows} <= {clock.now().date()}
    return {row.name: row.count for row in db.session.scalars(select(tally.Tally))}


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("X-DCMGUID", "x-dcmguid"),
        ("X-UP-SUBNO", "x-up-subno"),
        ("X-JPHONE-UID", "x-jphone-uid"),
        ("X-EM-UID", "x-em-uid"),
    ],
)
def test_either_spelling_is_counted_by_day_and_changes_nothing(app, header, name):
    client = app.test_client()
    plain = client.get("/login")

    for spelling in (header, header.replace("-", "_"), header.lower()):
        answer = client.get("/login", headers={spelling: SECRET})
        assert answer.status_code == 200
        assert device_cookie(answer) is None
        assert len(answer.text) == len(plain.text)
        assert SECRET not in answer.text

    assert counts() == {name: 3}
    assert count(Device) == 0


def test_what_a_server_passes_on_is_counted(app):
    app.test_client().get("/login", environ_overrides={"HTTP_X_UP_SUBNO": SECRET})

    assert counts() == {"x-up-subno": 1}


def test_several_at_once_count_once_each(app):
    app.test_client().get(
        "/login", headers={"X-DCMGUID": "a", "X_DCMGUID": "b", "User-Agent": FOMA}
    )

    assert counts() == {"x-dcmguid": 1, "user-agent-ser": 1, "user-agent-icc": 1}


@pytest.mark.parametrize(
    "agent",
    [
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)",
        "curl/8.0 serialisation",
        "serious-browser/1.0",
        "",
    ],
)
def test_todays_browsers_are_not_counted(app, agent):
    app.test_client().get("/login", headers={"User-Agent": agent})

    assert counts() == {}


def test_a_movas_serial_number_is_one_too():
    agent = "DoCoMo/1.0/N503i/c10/serNMIKA123456"

    assert carriers.names_in({"HTTP_USER_AGENT": agent}) == ["user-agent-ser"]


def test_files_are_not_counted(app):
    client = app.test_client()

    assert client.get("/static/site.css", headers={"X-DCMGUID": "a"}).status_code == 200

    assert counts() == {}


def test_two_people_with_one_header_are_two(app, alice, bob, log_in):
    for person in (alice, bob):
        client = log_in(person)
        client.environ_base["HTTP_X_DCMGUID"] = "the same"
        pages.submit(client, "/me", "/preferences", button="English")

    assert count(Device) == 2


def test_a_refused_device_cookie_is_counted_once_a_request(app, alice, log_in):
    client = log_in(alice)
    pages.submit(client, "/me", "/preferences", button="English")
    good = client.get_cookie("device").value
    assert counts() == {}

    client.set_cookie("device", good[:-1] + ("A" if good[-1] != "A" else "B"))
    answer = pages.submit(client, "/me", "/preferences", button="日本語")
    assert answer.status_code == 303
    client.set_cookie("device", good.rpartition(".")[0])
    pages.submit(client, "/me", "/preferences", button="English")

    assert counts() == {"device-cookie-refused": 2}


def test_no_value_is_logged(app, alice, log_in, caplog):
    caplog.set_level(logging.DEBUG)
    client = log_in(alice)
    client.set_cookie("device", "v1.k1.AAAAAAAAAAAAAAAAAAAAAA.1.canarycanarycanarycan")
    client.environ_base |= {"HTTP_X_UP_SUBNO": SECRET, "HTTP_USER_AGENT": FOMA}

    pages.submit(client, "/me", "/preferences", button="English")

    assert len(counts()) == 4
    for secret in (SECRET, SER, ICC, "canary"):
        assert secret not in caplog.text


def test_a_page_never_fails_for_a_count(app, monkeypatch):
    def fail(*_, **__):
        raise OperationalError("", {}, Exception("down"))

    monkeypatch.setattr(tally, "count", fail)

    answer = app.test_client().get("/login", headers={"X-DCMGUID": "a"})

    assert answer.status_code == 200
