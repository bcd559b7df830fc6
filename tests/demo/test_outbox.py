import pytest
from sqlalchemy import select

from tests import pages
from tradeboard.accounts.models import Account, Session
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.demo import outbox
from tradeboard.demo.people import HIIRAGI, KUSUNOKI, MINATO, YUZU

OUTBOX = "/dev/outbox"


@pytest.fixture
def client(board, monkeypatch):
    """A browser of somebody who looks at the demo."""
    from tests.demo.conftest import SEEDED_AT

    monkeypatch.setattr(clock, "now", lambda: SEEDED_AT)
    return board.test_client()


def named(handle):
    """Return an account by its handle."""
    return db.session.scalar(select(Account).where(Account.handle == handle))


def open_sessions(handle):
    """Count in how many browsers somebody is signed in."""
    mine = (Session.account_id == named(handle).id, Session.revoked_at.is_(None))
    db.session.rollback()
    return len(db.session.scalars(select(Session).where(*mine)).all())


def sign_in(client, handle):
    """Press somebody's button."""
    return pages.submit(
        client, OUTBOX, action="/dev/sign-in", account=str(named(handle).id)
    )


def test_there_is_no_such_page_outside_the_demo(app):
    client = app.test_client()

    assert client.get(OUTBOX).status_code == 404
    assert client.post("/dev/sign-in").status_code in (400, 404)


def test_the_newest_mails_are_shown_with_their_links(client):
    page = client.get(OUTBOX).text

    assert page.count("<article") == outbox.PAGE
    assert '<a href="/trades/' in page


def test_the_confirmation_of_a_newcomer_can_be_followed(client):
    page = client.get(OUTBOX, query_string={"to": named(YUZU).email_wire}).text
    [path] = {
        part.partition('"')[0]
        for part in page.split('href="')
        if "/confirm/" in part[:9]
    }

    assert client.get(path).status_code == 200


def test_only_the_mails_of_one_reader(client):
    page = client.get(OUTBOX, query_string={"to": named(MINATO).email_wire}).text
    articles = page.split("<article")[1:]

    assert articles
    assert all("minato@example.com" in article for article in articles)


def test_older_mails_are_on_the_next_page(client):
    first = client.get(OUTBOX).text
    [path] = [
        part for part in first.split('"') if part.startswith("/dev/outbox?after=")
    ]

    second = client.get(path.replace("&amp;", "&")).text

    ids = [set(page.split('id="mail-')[1:]) for page in (first, second)]
    assert not {i.partition('"')[0] for i in ids[0]} & {
        i.partition('"')[0] for i in ids[1]
    }


def test_a_code_of_the_second_factor_is_shown(client):
    page = client.get(OUTBOX).text

    assert page.count("2段階認証のコード") == 3


def test_signing_in_as_a_member(client):
    answer = sign_in(client, MINATO)

    assert answer.status_code == 303
    assert client.get("/todo").status_code == 200


@pytest.mark.parametrize("handle", [HIIRAGI, KUSUNOKI])
def test_signing_in_as_staff_has_the_second_factor(client, handle):
    answer = sign_in(client, handle)

    assert answer.location.endswith("/desk")
    assert client.get("/desk").status_code == 200


def test_signing_in_ends_the_session_before(client):
    before = open_sessions(MINATO)
    sign_in(client, MINATO)
    during = open_sessions(MINATO)
    sign_in(client, KUSUNOKI)

    assert (during, open_sessions(MINATO)) == (before + 1, before)


def test_nobody_is_signed_in_without_a_token_of_the_form(client):
    answer = client.post("/dev/sign-in", data={"account": named(MINATO).id})

    assert answer.status_code == 400
    assert client.get("/todo").status_code == 303


def test_text_of_a_mail_is_no_markup(board):
    with board.test_request_context():
        pieces = outbox.with_links(
            f"<b> {board.config['PUBLIC_URL']}/trades/3。http://example.com/x"
        )

    assert pieces == [
        ("<b> ", None),
        (f"{board.config['PUBLIC_URL']}/trades/3", "/trades/3"),
        ("。http://example.com/x", None),
    ]
