"""A statement is what people write longest: it is never lost."""

import io
from datetime import timedelta

import pytest

from tests import pages
from tests.blacklist.cases import listed, picture
from tests.factories import PASSWORD, count, make_account
from tradeboard.accounts import passwords
from tradeboard.blacklist.models import Evidence, EvidenceFile
from tradeboard.core import clock

LONG = "追跡では配達済みです。\n" * 60
SEND = "do=send"


@pytest.fixture
def dora(alice):
    """She is listed, and signs in with her password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def sign_in(client):
    return pages.submit(client, "/login", email="dora", password=PASSWORD)


def test_three_hours_and_a_changed_session_lose_no_word(app, alice, dora, monkeypatch):
    """Scenario 4."""
    entry, client = listed(alice, dora), app.test_client()
    sign_in(client)
    url = f"/blacklist/mine/{entry.id}"
    typed = pages.form_fields(pages.get(client, url), f"{url}/statement")
    typed |= {"do": "send", "words": LONG}
    later = clock.now() + timedelta(hours=3)
    monkeypatch.setattr(clock, "now", lambda: later)

    # Another tab signed out, and perhaps in again: the form's token is of before.
    pages.submit(client, "/me", "/logout")
    out = client.post(f"{url}/statement", data=typed)
    assert out.status_code in (400, 401)
    assert LONG.strip() in out.text
    sign_in(client)
    again = client.post(f"{url}/statement", data=typed)
    if again.status_code != 303:
        assert again.status_code == 400
        form = pages.find_form(again.text, f"{url}/statement")
        assert form.values()["words"].strip() == LONG.strip()
        again = client.post(f"{url}/statement", data=form.values())

    assert again.status_code == 303
    assert count(Evidence) == 1
    assert "追跡では配達済みです。" in pages.get(client, url)


def test_what_is_far_too_long_or_large_comes_back_with_its_limit(alice, bob, log_in):
    """Scenario 28."""
    entry, client = listed(alice, bob), log_in(bob)
    url = f"/blacklist/mine/{entry.id}"
    words = "a" * 600_000
    sent = [picture("good.jpg"), (io.BytesIO(bytes(15_000_000)), "DSC_0001.jpg")]

    answer = pages.submit(
        client, url, f"{url}/statement", button=SEND, words=words, photo=sent
    )

    assert answer.status_code == 422
    assert words in answer.text
    assert "1000字までです" in pages.text(answer.text)
    assert "DSC_0001.jpg：8MBより大きい" in answer.text
    assert "写真1枚を預かっています" in answer.text
    assert (count(Evidence), count(EvidenceFile)) == (0, 0)
