"""A passkey brings its owner in, and nobody else, once an answer."""

import json
from datetime import timedelta

import pytest
import time_machine

from tests import pages
from tests.accounts import authenticator
from tests.accounts.authenticator import Device
from tests.factories import PASSWORD, count, make_account
from tradeboard.accounts import passkeys, passwords
from tradeboard.accounts.models import Account, Passkey, Session, Totp
from tradeboard.accounts.passkeys import Place
from tradeboard.accounts.rules.standing import Role
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction

A_SECOND = timedelta(seconds=1)


@pytest.fixture
def app(app, monkeypatch):
    """Let the board be reached by a name, which passkeys need."""
    monkeypatch.setitem(app.config, "PUBLIC_URL", "http://localhost")
    return app


@pytest.fixture
def dora(app):
    """She has a password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


@pytest.fixture
def device(app, dora, sign_in):
    """Return her device, whose passkey she has added."""
    device = Device()
    client, _ = sign_in("dora")
    assert authenticator.register(client, device).status_code == 303
    return device


def moderates(account):
    with transaction():
        db.session.get_one(Account, account.id).role = Role.MODERATOR


def is_in(client):
    return client.get("/me").status_code == 200


def test_one_adds_a_passkey_and_comes_in_by_it_alone(app, dora, sign_in, mails):
    here, _ = sign_in("dora")
    device = Device()

    added = authenticator.register(here, device, name="わたしの電話")

    assert added.location == "/me/security"
    assert "わたしの電話" in pages.text(pages.get(here, "/me/security"))
    assert [facts["what"] for *_, facts in mails("ways_in_changed.txt")] == [
        "passkey-added"
    ]
    row = db.session.query(Passkey).one()
    assert "PRIVATE" not in row.public_key
    stranger = app.test_client()
    answer = authenticator.sign_in(stranger, device, next="/me/devices")
    assert (answer.status_code, answer.location) == (303, "/me/devices")
    assert is_in(stranger)

    form = next(
        f
        for f in pages.forms(pages.get(here, "/me/security"))
        if f.action.endswith("/remove")
    )
    pages.submit(here, "/me/security", form.action)
    assert count(Passkey) == 0
    refused = authenticator.sign_in(app.test_client(), device)
    assert refused.status_code == 422


def test_an_answer_counts_once_whoever_copies_the_cookie(app, device):
    client, thief = app.test_client(), app.test_client()
    answer = device.show(authenticator.ask(client, "/login", "enter"))
    thief.set_cookie("session", client.get_cookie("session").value)

    first = pages.submit(client, "/login", "/login/passkey", answer=answer)
    second = pages.submit(thief, "/login", "/login/passkey", answer=answer)

    assert (first.status_code, second.status_code) == (303, 422)
    assert is_in(client)
    assert not is_in(thief)


@pytest.mark.parametrize(
    ("late", "status"), [(-A_SECOND, 303), (timedelta(0), 422), (A_SECOND, 422)]
)
def test_an_answer_has_five_minutes(app, device, late, status):
    client = app.test_client()
    with time_machine.travel(clock.now(), tick=False):
        page = pages.get(client, "/login")
        answer = device.show(authenticator.ask(client, "/login", "enter"))
        at = clock.now() + timedelta(minutes=5) + late
    with time_machine.travel(at, tick=False):
        sent = pages.send(client, "/login", page, "/login/passkey", answer=answer)

    assert sent.status_code == status


BENT = (
    {"origin": "https://evil.example"},
    {"host": "evil.example"},
    {"flags": authenticator.PRESENT},
    {"flags": authenticator.VERIFIED},
    {"count": 0},
    {"key": Device().key},
    {"user": b"somebody else entirely"},
    {"id": b"x" * 32},
)


def test_bent_answers_open_nothing(app, device):
    assert authenticator.sign_in(app.test_client(), device).status_code == 303
    honest = dict(vars(device))
    for bent in BENT:
        vars(device).update(honest | bent)
        client = app.test_client()
        answer = authenticator.sign_in(client, device)
        assert (bent, answer.status_code) == (bent, 422)
        assert not is_in(client)
    vars(device).update(honest)
    assert authenticator.sign_in(app.test_client(), device).status_code == 303


def test_whatever_is_sent_as_an_answer_is_refused_not_broken(app, device):
    client = app.test_client()
    options = authenticator.ask(client, "/login", "enter")
    good = json.loads(device.show(options))
    strange = ["", "x", "[]", "{}", "null", "[" * 5000, json.dumps({"id": 1})]
    for part in ("id", "rawId", "type", "response"):
        strange.append(json.dumps(good | {part: None}))
        strange.append(json.dumps({k: v for k, v in good.items() if k != part}))
    for part in good["response"]:
        # A device may leave out whose it is.
        missing = [] if part == "userHandle" else [None]
        for value in (*missing, 1, "", "AAAA", "ÿ", "A" * 9000, []):
            response = good["response"] | {part: value}
            strange.append(json.dumps(good | {"response": response}))
    page = pages.get(client, "/login")
    cookie = client.get_cookie("session").value
    for answer in strange:
        client.set_cookie("session", cookie)
        sent = pages.send(client, "/login", page, "/login/passkey", answer=answer)
        assert sent.status_code == 422, answer[:80]


def test_options_tell_a_stranger_nothing(app, device):
    found = authenticator.ask(app.test_client(), "/login", "enter")

    assert found["rpId"] == "localhost"
    assert found["userVerification"] == "required"
    assert found.get("allowCredentials", []) == []
    client = app.test_client()
    token = pages.form_fields(pages.get(client, "/login"), "/login")["csrf_token"]
    for purpose, status in (("add", 403), ("prove", 403), ("x", 404)):
        data = {"csrf_token": token, "for": purpose}
        assert client.post("/passkey/options", data=data).status_code == status


def test_a_passkey_is_both_factors_of_staff(app, device, dora):
    moderates(dora)
    client = app.test_client()

    authenticator.sign_in(client, device)

    assert client.get("/desk/people").status_code == 200


def test_a_passkey_answers_after_a_password_and_at_the_step_up(
    app, device, dora, sign_in
):
    moderates(dora)
    client, _ = sign_in("dora")
    assert client.get("/desk/people").location.startswith("/login/second")

    options = authenticator.ask(client, "/login/second", "prove")
    assert len(options["allowCredentials"]) == 1
    sent = authenticator.prove(client, device, "/login/second")
    assert sent.location == "/desk"

    before = client.get_cookie("session").value
    with time_machine.travel(clock.now() + timedelta(minutes=11), tick=False):
        sent = authenticator.prove(client, device, "/login/again?next=/me/security")
    assert sent.location == "/me/security"
    assert client.get_cookie("session").value != before


def test_somebody_elses_passkey_proves_nothing(app, device, log_in, alice):
    client = log_in(alice)
    own = Device()
    authenticator.register(client, own)
    with time_machine.travel(clock.now() + timedelta(minutes=11), tick=False):
        sent = authenticator.prove(client, device, "/login/again")
        assert sent.status_code == 422
        assert client.get("/me/security").status_code == 303


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://127.0.0.1:8000", None),
        ("http://[::1]:8000", None),
        ("http://localhost:8000", Place("localhost", "http://localhost:8000")),
        ("https://board.example", Place("board.example", "https://board.example")),
        ("https://board.example:443", Place("board.example", "https://board.example")),
    ],
)
def test_passkeys_are_good_where_the_board_says_that_it_is(url, place):
    assert passkeys.place_of(url) == place


def test_without_a_name_of_its_own_the_board_offers_none(
    app, monkeypatch, log_in, alice
):
    monkeypatch.setitem(app.config, "PUBLIC_URL", "http://127.0.0.1:8000")

    assert "data-passkey" not in pages.get(app.test_client(), "/login")
    assert "data-passkey=" not in pages.get(log_in(alice), "/me/security")
    assert count(Session) == 1


def test_a_password_alone_gives_staff_with_a_passkey_no_second_way_in(
    app, dora, device, sign_in
):
    moderates(dora)
    thief, _ = sign_in("dora")
    setting_up = "/login/second/setup"
    leads = "/login/second"

    for answer in (
        thief.get(setting_up),
        thief.post(
            setting_up, data={"csrf_token": _token(thief), "do": "begin", "next": ""}
        ),
    ):
        assert (answer.status_code, answer.location) == (303, leads)
    assert count(Totp) == 0
    assert thief.get("/desk").status_code in (303, 308)

    own = app.test_client()
    assert authenticator.sign_in(own, device).status_code == 303
    assert pages.get(own, setting_up)


def _token(client):
    page = pages.get(client, "/login/second")
    return pages.find_form(page, "/login/second").values()["csrf_token"]
