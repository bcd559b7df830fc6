"""What anybody is answered, on the page and by the API."""

import pytest

from tests import pages
from tests.blacklist.cases import (
    A_DAY,
    both_sent,
    contest,
    do,
    lift,
    listed,
    receive,
    uphold,
    use_device,
)
from tests.factories import DUE, MONDAY, make_account
from tradeboard.accounts.models import Account, Handle
from tradeboard.accounts.rules import handles
from tradeboard.app import create_app
from tradeboard.blacklist import queries
from tradeboard.blacklist.jobs import expire_entries, sweep_overdue_trades
from tradeboard.core.db import db

CODE = "D-7F3K-9QXM"
SHOWN = {
    "id", "handle", "devices", "finding", "month", "reviewed", "under_appeal",
    "count", "expires",
}  # fmt: skip


def ask(app, **query):
    return app.test_client().get("/api/v1/blacklist/check", query_string=query)


def look(app, asked, **headers):
    return app.test_client().get(
        "/blacklist", query_string={"handle": asked}, headers=headers
    )


def rename(account, name):
    account = db.session.get(Account, account.id)
    db.session.query(Handle).filter_by(account_id=account.id).update({"current": False})
    db.session.add(
        Handle(
            account_id=account.id,
            shown=name,
            skeleton=handles.skeleton(name),
            since=DUE,
        )
    )
    account.handle = name


def test_a_listed_person_is_found_by_name_and_by_device(app, alice, bob):
    use_device(bob, CODE, MONDAY + A_DAY)
    entry = listed(alice, bob)

    answer = ask(app, handle="bob")

    assert answer.status_code == 200
    assert answer.json["status"] == "listed"
    (found,) = answer.json["entries"]
    assert set(found) == SHOWN
    assert found == {
        "id": entry.id,
        "handle": "bob",
        "devices": [CODE],
        "finding": "never_dispatched",
        "month": "2026-06",
        "reviewed": False,
        "under_appeal": False,
        "count": 1,
        "expires": "2028-06-14",
    }
    assert ask(app, device=CODE).json["entries"] == [found]


@pytest.mark.parametrize(
    "typed", ["ＢＯＢ", " Bob ", "b0b", "d7f3k9qxm", "Ｄ－７Ｆ３Ｋ－９ＱＸＭ", CODE]
)
def test_spellings_and_codes_sent_as_a_name_find_it_too(app, alice, bob, typed):
    use_device(bob, CODE, MONDAY + A_DAY)
    listed(alice, bob)

    assert ask(app, handle=typed).json["status"] == "listed"


def test_a_name_in_the_shape_of_a_code_is_looked_up_as_a_name_too(app, alice):
    anderson, other = make_account("anderson"), make_account("fenrir99")
    use_device(other, "D-ANDE-RS0N", MONDAY + A_DAY)
    listed(alice, anderson)

    def found(**asked):
        (many,) = queries.answers_for([queries.Question(**asked)], now=DUE)
        single = queries.answer_for(**asked, now=DUE)
        assert {entry.id for entry in many.entries} == {e.id for e in single.entries}
        return {entry.handle for entry in single.entries}

    assert found(handle="Anderson") == {"anderson"}
    listed(alice, other)
    assert found(handle="Anderson") == {"anderson", "fenrir99"}
    assert found(device="anderson") == {"fenrir99"}


def test_old_names_and_new_ones_resolve(app, alice, bob):
    listed(alice, bob)
    do(rename, bob, "ロベルト")

    for name in ("bob", "ろべると"):
        (entry,) = ask(app, handle=name).json["entries"]
        assert entry["handle"] == "bob"


@pytest.mark.parametrize(
    "typed", ["bo", "bobb", "alice", "nobody", "%", "_ob", "x" * 500]
)
def test_near_misses_are_answered_none(app, alice, bob, typed):
    listed(alice, bob)

    answer = ask(app, handle=typed)

    assert (answer.status_code, answer.json["status"]) == (200, "none")
    assert answer.json["entries"] == []


def test_held_lifted_and_expired_entries_are_never_shown(app, alice, bob, moderator):
    trade = both_sent(alice, bob)
    use_device(alice, CODE, MONDAY + A_DAY)
    receive(trade, bob)
    contest(trade, alice)
    sweep_overdue_trades(DUE)
    entry = listed(alice, bob)

    for typed in ("alice", CODE):
        assert ask(app, handle=typed).json["status"] == "none"
    assert "登録なし" in look(app, "alice").get_data(as_text=True)

    lift(entry, moderator, now=DUE + A_DAY)
    assert ask(app, handle="bob").json["status"] == "none"


def test_expired_entries_are_gone(app, alice, bob):
    listed(alice, bob)
    expire_entries(DUE + 730 * A_DAY)

    assert ask(app, handle="bob").json["status"] == "none"


def test_entries_of_several_trades_are_counted(app, alice, bob, charlie, moderator):
    first = listed(alice, bob)
    listed(charlie, bob)
    uphold(first, moderator, now=DUE + A_DAY)

    entries = ask(app, handle="bob").json["entries"]

    assert [entry["count"] for entry in entries] == [2, 2]
    assert sorted(entry["reviewed"] for entry in entries) == [False, True]


@pytest.mark.parametrize(
    "query", [{}, {"handle": ""}, {"handle": "bob", "device": CODE}]
)
def test_a_question_is_one_name_or_one_code(app, query):
    answer = ask(app, **query)

    assert (answer.status_code, answer.json["status"]) == (422, 422)


def test_a_doubled_parameter_is_no_question(app):
    answer = app.test_client().get("/api/v1/blacklist/check?handle=a&handle=b")

    assert answer.status_code == 400


def test_any_site_may_ask(app):
    answer = ask(app, handle="bob")

    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["X-Robots-Tag"] == "noindex"


def test_a_look_up_is_one_statement(app, alice, bob, charlie, statements):
    listed(alice, bob)
    listed(charlie, bob)
    db.session.rollback()

    with statements() as seen:
        queries.answer_for(handle="bob", now=DUE)

    assert len(seen) == 1


def test_who_asks_too_often_waits(app, monkeypatch):
    monkeypatch.setattr("tradeboard.blacklist.api.check.RATE", "2 per 1 minute")

    ends = [ask(app, handle="bob").status_code for _ in range(3)]

    assert ends == [200, 200, 429]


@pytest.fixture
def away(tmp_path, ring):
    """Return an application whose database is away."""
    return create_app(
        TESTING=True,
        SECRET_KEY="a secret of the tests that is long enough",
        DATABASE_URL=f"sqlite:///{tmp_path}/no/such/folder.sqlite",
        KEYRING=ring,
        UPLOADS=tmp_path,
    )


def test_what_could_not_be_checked_is_not_answered_none(away):
    answer = away.test_client().get("/api/v1/blacklist/check?handle=bob")

    assert (answer.status_code, answer.json["status"]) == (503, "unknown")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_the_page_says_so_too(away):
    answer = away.test_client().get("/blacklist?handle=bob")

    page = answer.get_data(as_text=True)
    assert answer.status_code == 503
    assert "照会できませんでした" in page
    assert "登録なし" not in page
    assert answer.headers["X-Robots-Tag"] == "noindex"


def test_none_is_no_guarantee(app):
    page = look(app, "bob").get_data(as_text=True)

    assert "登録なし" in page
    assert "登録がないことは、安全の保証ではありません。" in page
    assert 'name="robots" content="noindex"' in page
    assert "badge ok" not in page


def test_the_page_shows_what_the_public_may_know(app, alice, bob, moderator):
    use_device(bob, CODE, MONDAY + A_DAY)
    entry = listed(alice, bob)
    page = pages.text(look(app, "bob").get_data(as_text=True))

    for words in (
        "登録あり",
        "最初の発送から2週間以内に、品物が発送されなかった取引",
        "2026年6月・1件",
        "自動・審査待ち",
        "審査で維持されると、その日から2年間",
        CODE,
        "これは私です・間違いだと思います",
    ):
        assert words in page
    for secret in ("alice", bob.email, "紅蓮の騎士"):
        assert secret not in page

    uphold(entry, moderator, now=DUE + A_DAY)
    page = pages.text(look(app, "bob").get_data(as_text=True))
    assert "確認済み" in page
    assert "2028年6月まで" in page
    assert "発送の記録がありません" not in page


def test_the_page_reads_in_english(app, alice, bob):
    listed(alice, bob)

    page = look(app, "bob", **{"Accept-Language": "en"}).get_data(as_text=True)

    assert "June 2026" in page
    assert '<html lang="en"' in page


def test_members_browse_the_list_newest_first(app, alice, bob, charlie, log_in):
    assert app.test_client().get("/blacklist/list").status_code in (302, 303)
    listed(alice, bob)
    listed(bob, charlie, at=MONDAY + A_DAY)

    answer = log_in(alice).get("/blacklist/list")

    page = answer.get_data(as_text=True)
    assert page.index('<bdi lang="">charlie') < page.index('<bdi lang="">bob')
    assert answer.headers["X-Robots-Tag"] == "noindex"


def test_the_list_goes_on_and_costs_the_same(
    app, alice, log_in, monkeypatch, statements
):
    monkeypatch.setattr("tradeboard.core.paging.PAGE_SIZE", 3)
    people = [make_account(f"member{n}") for n in range(5)]
    client = log_in(alice)
    listed(alice, people[0])
    client.get("/blacklist/list")
    with statements() as with_one:
        client.get("/blacklist/list")
    for number, person in enumerate(people[1:], start=1):
        listed(alice, person, at=MONDAY + number * A_DAY)

    with statements() as with_many:
        page = pages.get(client, "/blacklist/list")

    assert len(with_many) == len(with_one)
    assert page.count("card answer danger") == 3
    (more,) = [part for part in page.split('"') if "after=" in part]
    rest = pages.get(client, more.replace("&amp;", "&"))
    assert rest.count("card answer danger") == 2
    assert "続きを見る" not in rest


def test_outsiders_see_no_trace_of_a_held_entry(app, alice, bob, charlie, log_in):
    both_sent(alice, bob)
    before = log_in(charlie).get("/blacklist/list").get_data()
    sweep_overdue_trades(DUE)

    after = log_in(charlie).get("/blacklist/list").get_data()

    assert after.count(b"card answer") == before.count(b"card answer") == 0
    entries = queries.entries_of(alice.id)
    assert log_in(charlie).get(f"/blacklist/mine/{entries[0].id}").status_code == 404


def test_somebody_signed_in_is_told_that_it_is_unknown_too(away):
    client = away.test_client()
    with client.session_transaction() as session:
        session["_user_id"] = "a token whose session cannot be read"

    for url in ("/blacklist?handle=bob", "/api/v1/blacklist/check?handle=bob"):
        answer = client.get(url)
        assert answer.status_code == 503
        assert "登録なし" not in answer.get_data(as_text=True)
        assert '"none"' not in answer.get_data(as_text=True)


@pytest.mark.parametrize("name", ["yamamoto", "Kobayash1", "trade-me1"])
def test_a_name_in_the_shape_of_a_device_code_is_looked_up_as_a_name_too(
    app, alice, name
):
    person = make_account(name, email="who@example.com")
    listed(alice, person)

    assert ask(app, handle=name).json["status"] == "listed"
    assert ask(app, device=name).json["status"] == "none"


def test_of_very_many_entries_the_newest_are_told(
    app, alice, bob, charlie, monkeypatch
):
    listed(alice, bob)
    newest = listed(charlie, bob)
    assert len(ask(app, handle="bob").json["entries"]) == 2
    monkeypatch.setattr("tradeboard.blacklist.queries.answers.LARGEST_PAGE", 1)

    answer = ask(app, handle="bob").json

    assert answer["status"] == "listed"
    assert [entry["id"] for entry in answer["entries"]] == [newest.id]
    assert look(app, "bob").text.count("<article") == 1
