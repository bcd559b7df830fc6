import pytest

from tests import pages
from tests.accounts.conftest import words_of
from tests.factories import PASSWORD, make_account
from tradeboard.accounts import passwords


@pytest.fixture
def dora(app):
    """She has a password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def guess(client, password="wrong wrong wrong", address="198.51.100.1"):
    page = client.get("/login").get_data(as_text=True)
    data = pages.form_fields(page, "/login")
    data |= {"email": "dora@example.com", "password": password}
    return client.post("/login", data=data, environ_base={"REMOTE_ADDR": address})


def test_wrong_passwords_end_in_429_with_the_time_and_the_owner_still_gets_in(
    app, dora, sign_in
):
    known, _ = sign_in("dora")
    pages.submit(known, "/me", "/logout")
    stranger = app.test_client()

    answers = [guess(stranger) for _ in range(11)]

    assert [a.status_code for a in answers] == [422] * 10 + [429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 900
    assert guess(stranger, PASSWORD).status_code == 429
    assert guess(known, PASSWORD).status_code == 303


def test_many_networks_are_slowed_down_and_never_lock_the_account(app, dora, sign_in):
    known, _ = sign_in("dora")
    pages.submit(known, "/me", "/logout")

    stranger = app.test_client()
    data = pages.form_fields(pages.get(stranger, "/login"), "/login")
    data |= {"email": "dora@example.com", "password": "wrong wrong wrong"}
    networks = [{"REMOTE_ADDR": f"10.0.{net}.1"} for net in range(12)]

    tried = sum(
        stranger.post("/login", data=data, environ_base=network).status_code == 422
        for network in networks
        for _ in range(11)
    )

    assert tried <= 100 + 2 * 12
    assert guess(app.test_client(), PASSWORD, "10.9.9.9").status_code == 303
    assert guess(known, PASSWORD, "10.0.0.1").status_code == 303


def test_a_right_password_starts_the_count_anew(app, dora):
    client = app.test_client()
    for _ in range(9):
        guess(client)
    assert guess(client, PASSWORD).status_code == 303

    assert [guess(app.test_client()).status_code for _ in range(9)] == [422] * 9


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/\n/x",
        "/%09/evil.example",
        "javascript:alert(1)",
        "/me@evil.example",
        "/nowhere",
        "/logout",
    ],
)
def test_no_way_leads_off_the_board(app, dora, sign_in, target):
    _, answer = sign_in("dora", next=target)
    assert answer.location == "/todo"

    other = pages.submit(app.test_client(), "/login", "/preferences", next=target)
    assert other.location == "/"


def test_a_page_of_members_leads_to_the_log_in_and_back(dora, sign_in, app):
    client = app.test_client()
    asked = client.get("/me/devices")
    assert (asked.status_code, asked.location) == (303, "/login?next=/me/devices")

    answer = pages.submit(
        client, asked.location, "/login", email="dora", password=PASSWORD
    )

    assert answer.location == "/me/devices"


def test_a_form_sent_while_signed_out_is_kept_and_not_sent_by_itself(
    app, dora, sign_in
):
    client, _ = sign_in("dora")
    data = pages.form_fields(pages.get(client, "/me/password"), "/me/password")
    client_out, _ = client, pages.submit(client, "/me", "/logout")
    data["csrf_token"] = pages.form_fields(pages.get(client_out, "/login"), "/login")[
        "csrf_token"
    ]
    data |= {
        "note": "三時間かけて書いた\n長い文",
        "password": "secret secret",
        "q": "<b>",
    }

    asked = client_out.post("/me/password?x=1", data=data)
    page = asked.get_data(as_text=True)
    assert asked.status_code == 401
    assert "secret secret" not in page
    answer = pages.send(
        client_out, "/login", page, "/login", email="dora", password=PASSWORD
    )

    kept = answer.get_data(as_text=True)
    form = pages.find_form(kept)
    assert answer.status_code == 200
    assert form.action == "/me/password?x=1"
    assert form.values()["note"] == "三時間かけて書いた\n長い文"
    assert form.values()["q"] == "<b>"
    assert form.values()["submit_id"] == data["submit_id"]
    assert form.values()["csrf_token"] != data["csrf_token"]
    assert pages.send(client_out, "/login", kept).status_code == 422


def test_a_wrong_password_keeps_the_carried_form(app, dora):
    client = app.test_client()
    token = pages.form_fields(pages.get(client, "/login"), "/login")["csrf_token"]
    asked = client.post("/me/password", data={"csrf_token": token, "note": "長い文"})

    wrong = pages.send(
        client,
        "/login",
        asked.get_data(as_text=True),
        "/login",
        email="dora",
        password="wrong",
    )

    assert "長い文" in wrong.get_data(as_text=True)


@pytest.mark.parametrize(
    "carried",
    [
        "x",
        "[]",
        '{"action": "https://evil.example/", "fields": []}',
        '{"action": "//evil.example", "fields": []}',
        '{"action": "/\\\\evil.example", "fields": []}',
        '{"action": "/nowhere", "fields": []}',
        '{"action": "/me", "fields": [["a", "b", "c"]]}',
    ],
)
def test_a_forged_carried_form_leads_nowhere(dora, sign_in, carried):
    _, answer = sign_in("dora", carried=carried)

    assert answer.status_code == 303


def test_a_form_whose_token_is_stale_comes_back_filled(app, alice, log_in):
    client = log_in(alice)
    data = pages.form_fields(pages.get(client, "/me/password"), "/me/password")
    data |= {"csrf_token": "stale", "note": "書いた文" * 20}

    answer = client.post("/me/password", data=data)
    form = pages.find_form(answer.get_data(as_text=True))

    assert answer.status_code == 400
    assert form.values()["note"] == "書いた文" * 20
    assert "もう一度送る" in words_of(answer)


def test_language_and_theme_are_kept_for_a_year(app, alice, log_in):
    client = log_in(alice)

    answer = pages.submit(client, "/me", "/preferences", button="English")

    assert answer.location == "/me"
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("language=en;")
    assert "Max-Age=31536000" in cookie
    assert 'lang="en"' in pages.get(client, "/me")
    other = log_in(alice)
    assert '<html lang="en"' in pages.get(other, "/me")


def test_wrong_tries_tell_neither_who_is_registered_nor_whose_address_it_is(
    app, dora, sign_in
):
    wrong = "wrong wrong wrong"
    for name in ("dora", "someone@example.com"):
        for _ in range(10):
            assert sign_in(name, password=wrong)[1].status_code == 422

    # Neither the address of that name, nor another spelling of an unknown address.
    by_address = sign_in("dora@example.com", password=wrong)[1]
    respelled = sign_in("someone＠example.com", password=wrong)[1]

    assert (by_address.status_code, respelled.status_code) == (422, 429)
