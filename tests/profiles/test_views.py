"""A member's public page."""

from urllib.parse import quote

import pytest

from tests.factories import MONDAY, make_account
from tests.listings import boards
from tests.page_forms import get, text
from tradeboard.accounts.models import Handle
from tradeboard.accounts.rules import handles
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction


@pytest.fixture
def visitor(app):
    return app.test_client()


def test_a_record_stands_beside_the_name(visitor):
    counts = {"completed_count": 48, "partner_count": 31, "on_time_count": 47}
    dora = make_account("山田太郎", email="dora@example.com", ended_count=48, **counts)
    boards.post(dora)

    page = text(get(visitor, f"/u/{quote('山田太郎')}"))

    assert "48件" in page
    assert "31人" in page
    assert "47 / 48" in page
    assert "（97%）" in page
    assert "蒼天の竜王" in page
    assert "割合は示しません" not in page


def test_small_numbers_say_that_they_are_small(visitor, alice):
    make_account("dora", ended_count=2, on_time_count=2)
    page = text(get(visitor, "/u/dora"))

    assert "2件の荷物だけの記録なので、割合は示しません" in page
    assert "2 / 2" in page
    assert "%" not in page
    assert "発送までの日数—" in page
    assert "まだ終わった取引がありません" in get(visitor, "/u/alice")


def test_an_old_name_leads_to_the_present_one(visitor, alice):
    with transaction():
        skeleton = handles.skeleton("formeralice")
        db.session.add(
            Handle(
                account_id=alice.id,
                shown="formeralice",
                skeleton=skeleton,
                since=MONDAY,
                current=False,
            )
        )

    answer = visitor.get("/u/formeralice")

    assert answer.status_code == 303
    assert answer.location == "/u/alice"


@pytest.mark.parametrize("standing", [Standing.HELD, Standing.SUSPENDED])
def test_only_what_is_public_is_shown(visitor, standing):
    make_account("dora", standing=standing)
    make_account("eve", standing=Standing.LISTED)
    good = get(visitor, "/u/dora")

    assert "登録あり" not in good
    assert "保留" not in good
    assert "停止" not in good
    assert "登録あり" in get(visitor, "/u/eve")


def test_who_has_left_or_never_was_is_not_found(visitor):
    make_account("dora", standing=Standing.CLOSED)

    assert visitor.get("/u/dora").status_code == 404
    assert visitor.get("/u/nobody").status_code == 404


def test_a_name_in_kanji_works_encoded_and_a_former_one_leads_there(visitor, alice):
    """Scenario 25."""
    taro = make_account("山田太郎", email="taro@example.com")
    with transaction():
        db.session.add(
            Handle(
                account_id=taro.id,
                shown="元の山田",
                skeleton=handles.skeleton("元の山田"),
                since=MONDAY,
                current=False,
            )
        )

    assert "山田太郎" in get(visitor, "/u/%E5%B1%B1%E7%94%B0%E5%A4%AA%E9%83%8E")
    answer = visitor.get(f"/u/{quote('元の山田')}")
    assert answer.status_code == 303
    assert answer.location == f"/u/{quote('山田太郎')}"
    emoji, look_alike = map(handles.check_handle, ("山田🐉", "аlice"))
    assert (emoji.code, look_alike.code) == ("chars.symbol", "script.mixed")
    assert "🐉" in str(emoji.message)
