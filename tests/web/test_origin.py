"""Who may send a form: those with a token, and one that the browser vouches for."""

import pytest

from tests.page_forms import form_fields, get
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
