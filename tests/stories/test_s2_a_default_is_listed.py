"""S2: one side ships, the other never does."""

from datetime import timedelta

from tests import pages
from tests.stories import people
from tests.trades import rooms
from tradeboard.accounts.rules.standing import Standing
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.trades.jobs import remind

MINATO, KURO = "minato@example.com", "kuro@example.com"


def begin(app):
    """Let みなと post and くろ offer, up to the confirmed call and her dispatch."""
    hers = people.newcomer(app, "みなと", MINATO)
    his = people.newcomer(app, "くろつばさ", KURO)
    listing = people.post_listing(hers)
    asked = pages.submit(his, f"{listing}/offer", button="do=send")
    trade_id = rooms.number_in(people.agree(his, asked).location)
    assert rooms.accept(hers, trade_id).status_code == 303
    rooms.seal_both(trade_id, hers, his)
    rooms.confirm_call(trade_id, hers, his)
    assert rooms.dispatch(hers, trade_id).status_code == 303
    return hers, his, trade_id


def test_whoever_never_ships_is_told_and_then_listed(app):
    hers, his, trade_id = begin(app)
    due = rooms.get(trade_id).due_at

    for days in (7, 3, 1):
        before = len(people.letters_to(KURO))
        remind(due - timedelta(days=days))
        assert len(people.letters_to(KURO)) > before

    assert sweep_overdue_trades(due - timedelta(microseconds=1)).done == 0
    assert sweep_overdue_trades(due).done == 1
    assert sweep_overdue_trades(due).done == 0

    stranger = app.test_client()
    check = "/api/v1/blacklist/check"
    answer = stranger.get(check, query_string={"handle": "クロツバサ"}).json
    (entry,) = answer["entries"]
    assert (answer["status"], entry["finding"]) == ("listed", "never_dispatched")
    (code,) = entry["devices"]
    by_device = stranger.get(check, query_string={"device": code}).json
    assert by_device["entries"] == [entry]
    page = stranger.get("/blacklist", query_string={"handle": "くろつばさ"})
    assert "登録あり" in pages.text(page.text)

    assert (
        stranger.get(check, query_string={"handle": "みなと"}).json["status"] == "none"
    )
    assert people.account("みなと").standing is Standing.GOOD
    assert people.account("くろつばさ").standing is Standing.LISTED
    assert any("ブラックリスト" in subject for subject, _ in people.letters_to(KURO))

    assert his.get("/").status_code == 200
    drafted = pages.submit(
        his,
        "/listings/new",
        "/listings/new",
        button="do=review",
        **{"have-0-name": "盾騎士", "want-0-name": "魔導師", "ships_from": "13"},
    )
    refused = pages.submit(his, drafted.location, button="募集を出す")
    assert refused.status_code == 403
    assert "進行中の取引は続けられます" in refused.text
