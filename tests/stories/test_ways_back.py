"""Twelve ways in which a listed person may try to come back, each tried twice.

Once by that person, and once by somebody who has nothing to do with it and stands in
the same place: the one is stopped or noticed, the other gets on. The table in
`docs/identity.md` says what is proved here; its rows are these cases.
"""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests import pages
from tests.factories import PASSWORD, count
from tests.stories.ways import (
    A_DAY,
    ADDRESS,
    AN_HOUR,
    DONE,
    LISTED,
    MAILBOX,
    NUMBER,
    Ways,
)
from tests.trades import rooms
from tradeboard.accounts import jobs
from tradeboard.accounts.models import StaffNote
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import phone

DOCUMENT = Path(__file__).parents[2] / "docs" / "identity.md"
THREE_DAYS = timedelta(hours=72)
GOOD, HELD = Standing.GOOD, Standing.HELD


@pytest.fixture
def ways(app):
    """Ookami is on the list."""
    return Ways()


def answered(answer):
    return answer.status_code, answer.location


def same_mailbox(ways):
    for number, spelled in enumerate(
        (
            MAILBOX,
            "Ookami.Taro@Gmail.com",
            "ookami.taro@googlemail.com",
            "ｏｏｋａｍｉｔａｒｏ＠ｇｍａｉｌ．ｃｏｍ",
            "o.o.k.a.m.i.t.a.r.o@GMAIL.COM",
        )
    ):
        answer = ways.register(f"comeback{'abcde'[number]}", spelled)
        assert answered(answer) == DONE
    assert ways.mails("confirm") == []
    (mail,) = ways.mails("mailbox_listed")
    assert mail.to == MAILBOX

    assert answered(ways.register("haruka", "ookami.tarou@gmail.com")) == DONE
    assert ways.has_link("ookami.tarou@gmail.com")
    assert ways.is_confirmed("haruka")


def sub_address(ways):
    answer = ways.register("comeback", "ookamitaro+again@gmail.com")
    assert answer.status_code == 422
    assert ways.account("comeback") is None

    answer = ways.register("haruka", "haruka+cards@gmail.com")
    assert answer.status_code == 422
    assert "＋より前だけを入力してください" in pages.text(answer.text)
    assert answered(ways.register("haruka", "haruka@gmail.com")) == DONE
    assert ways.has_link("haruka@gmail.com")
    assert ways.is_confirmed("haruka")


def relay_or_throw_away(ways):
    for address in ("wolf@mozmail.com", "wolf@mailinator.com"):
        assert ways.register("comeback", address).status_code == 422
    assert ways.account("comeback") is None

    answer = ways.register("haruka", "haruka@mozmail.com")
    assert answer.status_code == 422
    assert "本アドレスを入力してください" in pages.text(answer.text)
    assert answered(ways.register("haruka", "haruka@example.com")) == DONE
    assert ways.has_link("haruka@example.com")
    assert ways.is_confirmed("haruka")


def move(ways, handle, address):
    client = ways.sign_in(handle)
    fields = {"email": address, "password": PASSWORD}
    return answered(pages.submit(client, "/me/email", "/me/email", **fields))


def move_address(ways):
    ways.member("second")
    stopped = move(ways, "second", "Ookami.Taro@gmail.com")
    assert ways.mails("change_email") == []
    assert [mail.to for mail in ways.mails("mailbox_listed")] == [MAILBOX]
    assert ways.account("second").email == "second@example.com"

    ways.member("haruka")
    assert move(ways, "haruka", "ookami.tarou@gmail.com") == stopped
    assert ways.has_link("ookami.tarou@gmail.com", "/change-email/")
    assert ways.account("haruka").email == "ookami.tarou@gmail.com"


def same_number(ways):
    second = ways.member("second")
    trade_id = ways.agree(ways.mina, second, clock.now())
    client = ways.sign_in("second")
    assert rooms.seal(client, trade_id, NUMBER, ADDRESS).status_code == 303
    assert ways.standing("second") is HELD
    (hold,) = ways.holds_of("second")
    assert hold.until - hold.made_at == THREE_DAYS
    assert rooms.get(trade_id).state is TradeState.AGREED

    haruka = ways.member("haruka")
    later = ways.now + 366 * A_DAY
    trade_id = ways.agree(ways.mina, haruka, later)
    with transaction():
        phone.seal(trade_id, NUMBER, "JP", ADDRESS, by=haruka, now=later + AN_HOUR)
    assert ways.standing("haruka") is GOOD
    assert ways.holds_of("haruka") == []


def listed_browser_new_account(ways):
    assert answered(ways.register("comeback", "wolf@example.com", ways.device)) == DONE
    assert ways.standing("comeback") is HELD
    ways.decide("comeback", "evasion")
    assert ways.standing("comeback") is HELD

    assert answered(ways.register("imouto", "imouto@example.com", ways.device)) == DONE
    assert ways.has_link("imouto@example.com")
    (hold,) = ways.holds_of("imouto")
    assert jobs.release_holds(hold.until - AN_HOUR) == 0
    assert ways.standing("imouto") is HELD
    jobs.release_holds(hold.until)
    assert ways.standing("imouto") is GOOD
    ways.sign_in("imouto", ways.device)
    assert ways.standing("imouto") is GOOD
    assert len(ways.holds_of("imouto")) == 1


def listed_browser_old_account(ways):
    ways.member("second")
    ways.sign_in("second", ways.device)
    assert ways.standing("second") is HELD
    assert len(ways.mails("held")) == 1

    ways.member("imouto")
    ways.sign_in("imouto")
    assert ways.standing("imouto") is GOOD
    ways.sign_in("imouto", ways.device)
    assert ways.standing("imouto") is HELD
    ways.decide("imouto", "unrelated")
    assert ways.standing("imouto") is GOOD
    ways.sign_in("imouto", ways.device)
    assert ways.standing("imouto") is GOOD
    assert len(ways.holds_of("imouto")) == 1


def look_alike_name(ways):
    for number, name in enumerate(("OOKAMI", "0okami", "o_o.kami☆", "ООКАМІ")):
        answer = ways.register(name, f"wolf{number}@example.com")
        assert answer.status_code == 422, name
        assert ways.account(name) is None

    assert answered(ways.register("ookami2", "haruka@example.com")) == DONE
    assert ways.has_link("haruka@example.com")
    assert ways.is_confirmed("ookami2")


def rename(ways, handle, name):
    client = ways.sign_in(handle)
    return pages.submit(client, "/me/handle", "/me/handle", handle=name)


def shed(ways, name):
    """Let the listed person send the form that the page does not offer."""
    page = pages.get(ways.browser, "/me/handle")
    token = pages.form_fields(page, "/logout")["csrf_token"]
    fields = {"csrf_token": token, "handle": name}
    answer = ways.browser.post("/me/handle", data=fields)
    assert answer.status_code == 422
    return pages.text(answer.text)


def renaming(ways):
    ways.member("second")
    for name in (LISTED, "Ookami☆", "0okami"):
        assert rename(ways, "second", name).status_code == 422
    assert ways.account("second") is not None
    assert "保留中のものも含みます" in shed(ways, "hitsuji")
    assert ways.account("hitsuji") is None

    ways.member("haruka")
    assert rename(ways, "haruka", "ookawa").status_code == 303
    assert ways.account("ookawa").standing is GOOD


def close(ways, handle):
    client = ways.sign_in(handle)
    answer = pages.submit(client, "/me/close", "/me/close", password=PASSWORD)
    assert answer.status_code == 303, pages.text(answer.text)
    assert ways.account(handle).closed_at is not None


def close_and_register(ways):
    close(ways, LISTED)
    assert answered(ways.register("comeback", "ookami.taro@gmail.com")) == DONE
    assert ways.mails("confirm") == []
    (mail,) = ways.mails("mailbox_listed")
    assert (mail.to, mail.facts["closed"]) == (MAILBOX, True)
    assert not ways.is_confirmed("comeback")

    ways.member("haruka", email="haruka@gmail.com")
    close(ways, "haruka")
    assert answered(ways.register("haruka2", "haru.ka@gmail.com")) == DONE
    assert ways.has_link("haru.ka@gmail.com")
    assert ways.is_confirmed("haruka2")


def name_of_the_closed(ways):
    close(ways, LISTED)
    for number, name in enumerate((LISTED, "Ookami")):
        answer = ways.register(name, f"wolf{number}@example.com")
        assert answer.status_code == 422
    assert pages.get(ways.new_browser(), f"/blacklist?handle={LISTED}").count(
        "登録あり"
    )

    answer = ways.register("OOKAMI", "haruka@example.com")
    assert "別のハンドルを入力してください" in pages.text(answer.text)
    assert answered(ways.register("ookawa", "haruka@example.com")) == DONE
    assert ways.has_link("haruka@example.com")
    assert ways.is_confirmed("ookawa")


def all_new(ways):
    for handle, number in (("comeback", "070-3172-1212"), ("haruka", "070-3172-3434")):
        address = f"{handle}@example.com"
        assert answered(ways.register(handle, address)) == DONE
        assert ways.has_link(address)
        ways.agree_to_terms(handle)
        trade_id = ways.agree(ways.mina, ways.account(handle), clock.now())
        sealed = rooms.seal(ways.sign_in(handle), trade_id, number, ADDRESS)
        assert sealed.status_code == 303
        assert ways.standing(handle) is GOOD
        assert ways.holds_of(handle) == []
    assert count(StaffNote) == 0
    for slug in ("list", "safe-trading"):
        said = pages.get(ways.new_browser(), f"/help/{slug}")
        assert "見分けられません" in said
    assert "not detected" in row("all-new")


CASES = {
    "same-mailbox": same_mailbox,
    "sub-address": sub_address,
    "relay": relay_or_throw_away,
    "move-address": move_address,
    "same-number": same_number,
    "listed-browser-new": listed_browser_new_account,
    "listed-browser-old": listed_browser_old_account,
    "look-alike": look_alike_name,
    "rename": renaming,
    "close-and-return": close_and_register,
    "name-of-closed": name_of_the_closed,
    "all-new": all_new,
}


def rows():
    """Return the rows of the table, by what stands in their first column."""
    text = DOCUMENT.read_text(encoding="utf-8")
    _, _, section = text.partition("\n## Twelve ways back\n")
    section = section.partition("\n## ")[0]
    found = re.findall(r"^\| `([a-z-]+)` \|(.*)\|$", section, re.MULTILINE)
    return dict(found)


def row(case):
    return rows()[case]


@pytest.mark.parametrize("case", CASES)
def test_the_listed_is_stopped_or_noticed_and_the_innocent_gets_on(ways, case):
    CASES[case](ways)
    db.session.rollback()

    assert ways.standing(LISTED) in (Standing.LISTED, Standing.CLOSED)


def test_the_document_names_every_case_and_what_becomes_of_both():
    assert list(rows()) == list(CASES)
    for case in CASES:
        tried, listed, innocent = (cell.strip() for cell in row(case).split("|"))
        assert tried
        assert listed
        assert innocent
