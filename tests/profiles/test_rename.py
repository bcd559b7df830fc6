"""Another name: the old one stays the person's own, and nobody else's."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from sqlalchemy import select

from tests import pages
from tests.blacklist import cases
from tests.factories import A_MOMENT, DUE, MONDAY
from tests.listings import boards
from tests.races import race
from tests.trades import rooms
from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Handle
from tradeboard.accounts.services import naming
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.profiles import services

DAYS_30 = timedelta(days=30)


def rename(client, name):
    return pages.submit(client, "/me/handle", "/me/handle", handle=name)


def take(account, name, now=MONDAY):
    with transaction():
        return naming.rename(account, name, now=now).handle


def test_the_new_name_stands_on_every_page(log_in, alice, app):
    listing_id = boards.post(alice)
    client = log_in(alice)

    answer = rename(client, "みなと")

    assert answer.status_code == 303
    for path in ("/me", "/me/handle", "/", f"/listings/{listing_id}"):
        assert "みなと" in pages.get(client, path)
    assert "みなと" in pages.get(app.test_client(), f"/u/{quote('みなと')}")


def test_the_old_name_leads_to_its_bearer(log_in, alice, app):
    rename(log_in(alice), "みなと")

    answer = app.test_client().get("/u/alice")

    assert (answer.status_code, answer.location) == (303, f"/u/{quote('みなと')}")
    assert queries.find_by_handle("ALICE").id == alice.id
    assert "alice" in pages.get(log_in(alice), "/me/handle")


def test_the_old_name_is_nobody_elses(log_in, alice, bob):
    rename(log_in(alice), "みなと")

    for name in ("alice", "A L I C E", "ミナト"):
        answer = rename(log_in(bob), name)

        assert answer.status_code == 422
        assert "すでに使われている" in pages.text(answer.text)
        assert f'value="{name}"' in answer.text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x", "2〜20文字"),
        ("運営です", "紛らわしい"),
        ("だれか@", "使えません"),
        ("ke\u2028n", "見えない文字"),
        ("alice", "いまのハンドルと同じです"),
        ("", "ハンドルを入力してください"),
    ],
)
def test_a_name_that_cannot_be_says_why_beside_the_field(log_in, alice, name, reason):
    answer = rename(log_in(alice), name)

    assert answer.status_code == 422
    assert reason in pages.text(answer.text)
    assert 'id="handle-err"' in answer.text


def test_another_spelling_of_the_own_name_is_the_same_row(alice):
    take(alice, "A_Lice")

    (only,) = queries.names_of(alice.id)
    assert (only.shown, only.current) == ("A_Lice", True)


def test_ones_own_former_name_can_be_taken_again(alice):
    take(alice, "みなと")
    take(alice, "Alice", MONDAY + DAYS_30)

    names = [(name.shown, name.current) for name in queries.names_of(alice.id)]
    assert names == [("Alice", True), ("みなと", False)]


def test_the_second_renaming_waits_thirty_days(alice):
    take(alice, "みなと")

    with pytest.raises(RuleBroken):
        take(alice, "かもめ", MONDAY + DAYS_30 - A_MOMENT)

    assert take(alice, "かもめ", MONDAY + DAYS_30) == "かもめ"


def test_the_page_says_from_when_it_is_possible_again(log_in, alice):
    client = log_in(alice)
    rename(client, "みなと")

    page = pages.get(client, "/me/handle")

    assert "から変えられます" in pages.text(page)
    assert 'name="handle"' not in page


def test_a_running_trade_keeps_the_name(log_in, alice, bob):
    his = log_in(bob)
    page = pages.get(his, "/me/handle")
    trade_id = rooms.propose(alice, his)

    answer = pages.send(his, "/me/handle", page, "/me/handle", handle="かもめ")

    assert answer.status_code == 422
    words = pages.text(answer.text)
    assert "取引がすべて終わると変えられます" in words
    assert f"取引 {trade_id}" in words
    assert queries.get_account(bob.id).handle == "bob"


def test_a_standing_entry_keeps_the_name(log_in, alice, bob):
    entry = cases.listed(alice, bob)

    page = pages.get(log_in(bob), "/me/handle")

    assert entry.number in page
    assert "登録が解除されるか、期間が満了すると変えられます" in page
    assert 'name="handle"' not in page
    with pytest.raises(RuleBroken), transaction():
        services.rename(bob, "かもめ", now=MONDAY)


def test_a_lifted_entry_keeps_the_name_of_its_time(alice, bob, moderator):
    cases.lift(cases.listed(alice, bob), moderator, now=DUE)
    with transaction():
        services.rename(bob, "かもめ", now=DUE)

    assert queries.get_account(bob.id).handle == "かもめ"
    assert cases.entry_of(bob).handle == "bob"


def test_a_look_up_by_the_old_name_finds_the_entry(app, alice, bob):
    take(bob, "かもめ")
    cases.listed(alice, bob)

    for name in ("bob", "かもめ"):
        page = pages.get(app.test_client(), f"/blacklist?handle={quote(name)}")
        assert "登録あり" in page


def test_it_is_audited_without_the_names(alice):
    take(alice, "みなと")

    row = db.session.scalars(select(AuditRow)).one()
    assert (row.action, row.object) == ("rename", f"account:{alice.id}")
    names = {name.shown: name.id for name in db.session.scalars(select(Handle))}
    assert row.body == {"before": names["alice"], "after": names["みなと"]}


def test_of_two_who_want_one_name_one_gets_it(app, alice, bob):
    ids = (alice.id, bob.id)

    def wants(account_id, name):
        def act():
            person = db.session.get_one(Account, account_id)
            naming.rename(person, name, now=MONDAY)

        return act

    outcomes = race(app, wants(ids[0], "みなと"), wants(ids[1], "ミナト"))

    assert sorted(outcomes) == ["RuleBroken", "done"]
    shown = [queries.get_account(i).handle for i in ids]
    assert len({"alice", "bob"} & set(shown)) == 1
