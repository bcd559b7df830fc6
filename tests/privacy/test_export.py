from datetime import timedelta

import pytest

from tests import pages
from tests.factories import MONDAY, PASSWORD, count, make_session
from tests.privacy import lives
from tests.privacy.lives import Life
from tradeboard.accounts import passwords
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.privacy.queries import SECTIONS

URL = "/me/export"
NOT_COPIED = (
    "password",
    "session",
    "totp",
    "recovery",
    "token",
    "new mail",
    "new wire",
    "device",
    "hold sentence",
    "note",
    "key id",
    "key hash",
    "form",
    "fact",
    "facts",
    "number hash",
    "hash",
    "link",
    "watch",
    "match",
    "notice fact",
    "remark",
    "report sentence",
    "card key",
)


@pytest.fixture
def mina(app):
    life = Life("mina", "カナリアミナ")
    with transaction():
        db.session.merge(life.account).password_hash = passwords.hash_password(PASSWORD)
    return life


@pytest.fixture
def kuro(app):
    return Life("kuro", "カナリアクロ", device="D-1111-0002")


@pytest.fixture
def client(app, mina):
    client = app.test_client()
    token = make_session(mina.account)
    with client.session_transaction() as session:
        session["_user_id"] = token
    return client


def export(client, password=PASSWORD):
    return pages.submit(client, URL, URL, password=password)


def test_the_copy_holds_all_that_is_own_and_nothing_of_the_partner(
    app, client, mina, kuro, monkeypatch, tmp_path
):
    monkeypatch.setitem(app.config, "UPLOADS", tmp_path)
    lives.draw(tmp_path, mina, kuro)
    lives.trade_between(mina, kuro, ended_at=MONDAY)
    lives.list_by_hand(mina)
    lives.list_by_hand(kuro)
    partner, own = kuro.account.handle, mina.account.handle

    answer = export(client)

    assert answer.status_code == 200
    assert answer.mimetype == "application/zip"
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    lists, text, names = lives.unpacked(answer.data)
    assert set(lists) == set(SECTIONS)
    assert [name for name, rows in lists.items() if rows == []] == []
    assert text.count("kuro-") == 1  # in what is said of kuro
    assert [row["words"] for row in lists["feedback"]] == [
        f"about {kuro.canary('praise')}",
        f"about {mina.canary('praise')}",
    ]
    assert len(lists["reports"]) == len(lists["warnings"]) == 1
    assert text.count(partner) == 1
    assert lists["reveals"][0]["shown_to"] == partner
    assert lists["account"][0]["handle"] == own
    assert lists["numbers"][0]["number"] == mina.canary("number")
    assert lists["numbers"][0]["address"] == mina.canary("address")
    assert lists["messages"][0]["text"] == mina.canary("message")
    assert lists["holds"][0].keys().isdisjoint({"other", "cause", "device"})
    assert [part for part in NOT_COPIED if f'"{mina.canary(part)}"' in text] == []
    folders = ("proofs", "evidence", "listings")
    pictures = {f"photos/{f}/{lives.picture_name('mina', f)}.jpg" for f in folders}
    assert {name for name in names if name.endswith(".jpg")} == pictures
    assert documented_keys() == {name: set(rows[0]) for name, rows in lists.items()}


def documented_keys():
    from tests.privacy.test_retention import DOCUMENT, rows_under

    rows = rows_under("The copy of one's own data", DOCUMENT.read_text("utf-8"))
    return {
        file.strip("`").removesuffix(".json"): set(keys.split(", "))
        for file, keys in rows
    }


def test_it_asks_for_the_password_and_counts_one_a_day(client, mina, monkeypatch):
    assert export(client, "another password").status_code == 422
    page = pages.get(client, URL)
    sent = [
        pages.send(client, URL, page, URL, password=PASSWORD).status_code
        for _ in range(2)
    ]

    assert sent == [200, 200]  # the same button, pressed twice
    assert count(AuditRow, AuditRow.action == "export") == 1
    again = export(client)
    assert again.status_code == 429
    assert "1日に1回" in again.text
    assert count(AuditRow, AuditRow.action == "export") == 1


def test_photos_end_where_there_are_too_many(
    app, client, mina, kuro, monkeypatch, tmp_path
):
    monkeypatch.setitem(app.config, "UPLOADS", tmp_path)
    monkeypatch.setattr("tradeboard.privacy.services.archive.LARGEST", 700)
    lives.draw(tmp_path, mina)
    lives.trade_between(mina, kuro, ended_at=MONDAY + timedelta(days=1))

    _, _, names = lives.unpacked(export(client).data)

    assert sum(name.endswith(".jpg") for name in names) == 1


def test_the_page_is_for_the_person_alone(app, client):
    assert app.test_client().get(URL).status_code == 303
    assert URL in pages.get(client, "/me")
