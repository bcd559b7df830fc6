"""Who may send a form: those with a token, and one that the browser vouches for."""

import pytest

from tests.page_forms import form_fields, get
from tradeboard.app import create_app
from tradeboard.web.extensions import csrf

HERE = "http://localhost"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": HERE}, 303),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, 303),
        ({}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "http://localhost.elsewhere.example"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": HERE, "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://else.example", "Sec-Fetch-Site": "same-origin"}, 403),
        ({"Referer": HERE + "/"}, 403),
    ],
)
def test_the_form_without_a_token_needs_a_browser_that_vouches(apps, headers, status):
    app = apps("sqlite")
    with app.app_context():
        client = app.test_client()
        data = {"theme": "dark", "next": "/help"}
        answer = client.post("/preferences", data=data, headers=headers)

    assert answer.status_code == status
    is_kept = "theme=dark" in answer.headers.get("Set-Cookie", "")
    assert is_kept == (status == 303)


def test_every_other_change_needs_a_token_and_an_origin_of_ours(app, alice, log_in):
    client = log_in(alice)
    fields = form_fields(get(client, "/me"), "/logout")

    assert {view.rpartition(".")[2] for view in csrf._exempt_views} == {
        "preferences",
        "stop",
    }
    assert {bp.name for bp in csrf._exempt_blueprints} == {"blacklist_api"}
    assert client.post("/logout", headers={"Origin": HERE}).status_code == 400
    foreign = {"Origin": "https://elsewhere.example"}
    assert client.post("/logout", data=fields, headers=foreign).status_code == 403
    assert client.post("/logout", data=fields).status_code == 303


BOARD = "https://board.example"


@pytest.mark.parametrize(
    ("public", "came_to", "hops", "origin", "status"),
    [
        # Under its own name the whole origin counts, however the request came.
        (BOARD, BOARD, {}, BOARD, 303),
        (BOARD, BOARD, {}, "https://BOARD.example:443", 303),
        (BOARD, "http://board.example", {}, BOARD, 303),
        (BOARD, BOARD, {}, "http://board.example", 403),
        (BOARD, "http://board.example", {}, "http://board.example", 403),
        (BOARD, BOARD, {}, "https://board.example:8443", 403),
        (BOARD, BOARD, {}, "https://user@board.example", 403),
        (BOARD, BOARD, {}, "https://board.example.", 403),
        (BOARD, BOARD, {}, "wss://board.example", 403),
        (BOARD, BOARD, {}, "//board.example", 403),
        (BOARD, BOARD, {}, "board.example", 403),
        (BOARD, BOARD, {}, "https://[board.example", 403),
        (BOARD, BOARD, {}, "https://board.example:none", 403),
        (f"{BOARD}:8443", f"{BOARD}:8443", {}, f"{BOARD}:8443", 303),
        (f"{BOARD}:8443", f"{BOARD}:8443", {}, BOARD, 403),
        # Under another name it is what the request came to.
        (BOARD, "http://localhost", {}, "http://localhost", 303),
        (BOARD, "http://localhost", {}, "https://localhost", 303),
        (BOARD, "https://localhost", {}, "http://localhost", 403),
        (BOARD, "http://localhost:8000", {}, "http://localhost", 403),
        (BOARD, "http://localhost", {}, BOARD, 403),
        # A trusted proxy says by which scheme; one that nobody trusts says nothing.
        (BOARD, "http://localhost", {"X-Forwarded-Proto": "https"}, HERE, 403),
        (BOARD, "http://localhost", {"X-Forwarded-Proto": "http"}, HERE, 303),
        (BOARD, "http://inner", {"X-Forwarded-Host": "board.example"}, BOARD, 303),
        (BOARD, "http://inner", {"X-Forwarded-Host": "board.example"}, HERE, 403),
    ],
)
def test_scheme_host_and_port_of_a_sender_are_the_boards(
    apps, ring, tmp_path, public, came_to, hops, origin, status
):
    app = create_app(
        TESTING=True,
        SECRET_KEY="a secret of the tests that is long enough",
        DATABASE_URL=apps("sqlite").config["DATABASE_URL"],
        KEYRING=ring,
        UPLOADS=tmp_path / "uploads",
        PUBLIC_URL=public,
        TRUSTED_HOSTS=["board.example", "localhost", "inner"],
        TRUSTED_PROXY_HOPS=1 if hops else 0,
    )
    with app.app_context():
        answer = app.test_client().post(
            "/preferences",
            data={"theme": "dark", "next": "/help"},
            base_url=came_to,
            headers={"Origin": origin, **hops},
        )

    assert answer.status_code == status


def test_a_hop_that_nobody_trusts_changes_no_origin(apps):
    app = apps("sqlite")
    with app.app_context():
        answer = app.test_client().post(
            "/preferences",
            data={"theme": "dark", "next": "/help"},
            headers={"Origin": BOARD, "X-Forwarded-Host": "board.example"},
        )

    assert answer.status_code == 403
