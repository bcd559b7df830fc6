"""What no person types is answered as a mistake of the request, never of ours."""

import io
import json

import pytest

from tests import pages
from tests.factories import make_account
from tests.listings import boards
from tests.worlds import make_trade
from tradeboard.core import clock
from tradeboard.web.readable import LARGEST_ID, whole

HUGE = ("9" * 5000, "9" * 20, str(LARGEST_ID + 1))


@pytest.mark.parametrize("number", HUGE)
def test_an_id_that_no_row_has_is_not_found(app, alice, log_in, number):
    client = log_in(alice)

    for page in ("/listings/%s", "/trades/%s", "/terms/%s", "/blacklist/mine/%s"):
        assert client.get(page % number).status_code == 404
    assert client.get(f"/trades?before={number}").status_code == 200


@pytest.mark.parametrize(
    "page", ["/?q=%00", "/?game=a%00", "/blacklist?handle=%00", "/?%00=1"]
)
def test_a_nul_is_no_question(app, page):
    assert app.test_client().get(page).status_code == 400


def test_a_nul_in_an_address_leads_nowhere(app):
    assert app.test_client().get("/u/%00").status_code == 404


def test_a_nul_in_a_form_is_refused(app, alice, log_in):
    answer = pages.submit(log_in(alice), "/listings/new", **{"note": "a\0b"})

    assert answer.status_code == 400


@pytest.mark.parametrize("number", HUGE)
def test_a_huge_number_in_a_form_is_a_mistake_beside_its_field(
    app, alice, log_in, number
):
    client = log_in(alice)
    listing_id = boards.post(alice)
    typed = {"have-0-quantity": number, "have-0-id": number}

    edit = f"/listings/{listing_id}/edit"
    answer = pages.submit(client, edit, action=edit, button="変更する", **typed)
    assert answer.status_code == 422

    draft = pages.submit(client, "/listings/new", **typed)
    assert draft.status_code == 303
    assert client.get(draft.location).status_code == 200


@pytest.mark.parametrize("text", [*HUGE, "-1", "²", "１", "", None])
def test_what_is_no_whole_number_is_none(text):
    assert whole(text) is None


def test_the_largest_id_is_read():
    assert whole(str(LARGEST_ID)) == LARGEST_ID


@pytest.mark.parametrize(
    "carried",
    [
        "[" * 100_000,
        json.dumps({"action": "/listings/new", "fields": [["note", "\ud800"]]}),
        json.dumps({"action": "//evil.example", "fields": []}),
    ],
)
def test_a_made_up_carried_form_is_left_out(app, carried):
    make_account("dora")

    answer = pages.submit(
        app.test_client(), "/login", email="dora", password="wrong", carried=carried
    )

    assert answer.status_code == 422


def test_a_file_is_no_text(app, alice, log_in):
    file = (io.BytesIO(b"x"), "x.png")

    answer = pages.submit(log_in(alice), "/listings/new", note=file)

    assert answer.status_code == 400


def test_a_text_is_no_photo(app, alice, bob, log_in):
    trade = make_trade(alice, bob, at=clock.now())
    leg_id = trade.leg_from(alice.id).id

    answer = pages.submit(
        log_in(alice),
        f"/trades/{trade.id}/dispatch",
        action=f"/trades/legs/{leg_id}/dispatch",
        carrier="yamato",
        tracking="444413758703",
        photo="x",
    )

    assert answer.status_code == 303


@pytest.mark.parametrize("header", ["Origin", "Referer"])
def test_a_made_up_address_is_of_no_host(app, alice, log_in, header):
    client = log_in(alice)

    answer = client.post("/preferences", headers={header: "http://[::1"})

    assert answer.status_code in (400, 403)


def test_of_a_doubled_parameter_nobody_says_which_counts(app, alice, log_in):
    client = log_in(alice)
    fields = pages.form_fields(pages.get(client, "/me/password"), "/me/password")
    doubled = fields | {"password": ["one", "other"]}
    hers = pages.form_fields(pages.get(client, "/listings/new"), "/listings/new")

    assert client.get("/?q=a&q=b").status_code == 400
    assert client.get("/blacklist?handle=a&handle=a").status_code == 400
    assert client.get("/api/v1/blacklist/check?handle=a&handle=b").status_code == 400
    assert client.post("/me/password", data=doubled).status_code == 400
    hers |= {"note": ["a", "b"]}
    assert client.post("/listings/new", data=hers).status_code == 400


def test_only_a_browser_that_has_been_here_sends_much(app, alice, log_in):
    much = {"photo": (io.BytesIO(b"x" * 1_200_000), "x.jpg")}
    form = {"note": "x" * 1_200_000}
    client = log_in(alice)
    pages.get(client, "/listings/new")

    assert app.test_client().post("/listings/new", data=much).status_code == 413
    assert client.post("/listings/new", data=form).status_code == 413
    much = {"photo": (io.BytesIO(b"x" * 1_200_000), "x.jpg")}
    assert client.post("/listings/new", data=much).status_code == 400
