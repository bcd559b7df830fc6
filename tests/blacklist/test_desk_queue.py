"""The queue of entries: its order, its filters, who is at what."""

import re

import pytest

from tests import pages
from tests.blacklist.cases import A_DAY, both_sent, do, entry_of, listed, receive
from tests.blacklist.desks import read
from tests.factories import DUE, MONDAY, make_account
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist import queries
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Appeal
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.desk import Which
from tradeboard.blacklist.services import claims, statements
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.paging import Cursor

NOW = DUE + 20 * A_DAY


@pytest.fixture(autouse=True)
def three_weeks_on(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.fixture
def desk(moderator, log_in):
    return log_in(moderator)


@pytest.fixture
def queue(alice, bob, charlie):
    """Return five entries by what is the matter with them."""
    dora, eve = make_account("dora"), make_account("eve")
    red = listed(alice, bob)
    held = both_sent(bob, charlie)
    receive(held, charlie)
    sweep_overdue_trades(DUE)
    plain = listed(alice, dora, at=MONDAY + 10 * A_DAY)
    young = listed(alice, eve, at=MONDAY + 19 * A_DAY)
    return {"red": red, "plain": plain, "young": young, "late": entry_of(bob, held)}


def numbers(page):
    """Return the numbers of the rows, in their order."""
    return re.findall(r"data-row>(E-\d+)<", page)


def test_overdue_ones_stand_on_top_then_the_oldest(desk, queue):
    page = pages.get(desk, "/desk/entries")

    wanted = [queue[n].number for n in ("red", "late", "plain", "young")]
    assert numbers(page) == wanted
    assert page.count("遅れています") == 2
    assert "待っている記録 4件" in pages.text(page)
    assert "遅れ 2件" in pages.text(page)


def appeal(entry):
    do(
        lambda: db.session.add(
            Appeal(
                entry_id=entry.id,
                words="届いています。",
                made_at=NOW,
                due_at=NOW + 14 * A_DAY,
                state=AppealState.OPEN,
            )
        )
    )


def test_each_filter_shows_its_own(desk, queue, alice, moderator):
    both_sent(alice, make_account("frida"), tracking=None)
    sweep_overdue_trades(DUE)
    held = [e for e in queries.review_queue(now=NOW) if e.state == "held"]
    assert len(held) == 2
    appeal(queue["young"])
    do(claims.take, queue["plain"].id, by=moderator, now=NOW)

    def shown(which):
        return set(numbers(pages.get(desk, f"/desk/entries?show={which}")))

    assert shown("appealed") == {queue["young"].number}
    assert shown("mine") == {queue["plain"].number}
    assert {queue["red"].number, queue["late"].number} <= shown("overdue")
    assert queue["young"].number not in shown("overdue")
    assert shown("held") == {e.number for e in held}
    assert shown("listed") | shown("held") == shown("all") == shown("nonsense")
    assert shown("upheld") == set()
    counts = queries.count_waiting(NOW, moderator.id)
    for which in Which:
        assert counts.of(which) == len(shown(which)), which


def test_a_page_ends_anywhere_and_the_next_goes_on(queue):
    whole = [e.id for e in queries.review_queue(now=NOW)]

    for last in range(1, len(whole)):
        row = queries.review_queue(now=NOW)[last - 1]
        rest = queries.review_queue(
            after=Cursor(row.entered_at, row.id),
            after_red=queries.is_red(row, NOW),
            now=NOW,
        )
        assert [e.id for e in rest] == whole[last:]
    places = [queries.position(e, NOW) for e in queries.review_queue(now=NOW)]
    assert places == [1, 2, 3, 4]


def test_a_long_queue_leads_to_its_end(desk, alice, monkeypatch):
    for n in range(4):
        listed(alice, make_account(f"p{n}"), at=MONDAY + 5 * n * A_DAY)
    monkeypatch.setattr("tradeboard.core.paging.PAGE_SIZE", 1)
    monkeypatch.setattr(queries.review_queue, "__kwdefaults__", _sized(1))

    seen, url = [], "/desk/entries"
    while url:
        page = pages.get(desk, url)
        seen += numbers(page)
        more = re.search(r'href="([^"]+)" rel="next"', page)
        url = more[1].replace("&amp;", "&") if more else None

    assert len(seen) == len(set(seen)) == 4


def _sized(size):
    return {**queries.review_queue.__kwdefaults__, "size": size}


def test_a_row_says_who_is_at_it_and_what_is_new(desk, queue, bob):
    judge = make_account("judge", role=Role.MODERATOR)
    do(claims.take, queue["red"].id, by=judge, now=NOW)
    do(statements.state, queue["red"].id, "送りました。", by=bob, now=NOW)

    page = read(desk, "/desk/entries")
    assert "担当：judgeさん" in page
    assert "本人の説明あり" in page


def test_the_keys_have_an_off_switch_and_need_no_script(desk, queue):
    page = pages.get(desk, "/desk/entries")

    assert "js/queue-keys.js" in page
    assert "キー操作を切る" in page
    assert re.search(r"<p [^>]*data-keys hidden>", page)


def test_the_queue_costs_the_same_for_many(desk, alice, moderator, statements):
    people = [make_account(f"member{n}") for n in range(6)]
    listed(alice, people[0])
    desk.get("/desk/entries")
    with statements() as with_one:
        desk.get("/desk/entries")
    for person in people[1:]:
        do(claims.take, listed(alice, person).id, by=moderator, now=NOW)

    with statements() as with_many:
        page = pages.get(desk, "/desk/entries")

    assert len(with_one) == len(with_many)
    assert len(numbers(page)) == 6


def test_the_desk_is_for_staff(alice, bob, log_in):
    entry = listed(alice, bob)
    client = log_in(alice)

    for url in ("", "/new", f"/{entry.id}", f"/{entry.id}/photos", f"/{entry.id}/ask"):
        assert client.get(f"/desk/entries{url}").status_code == 404
    assert client.get("/desk/appeals").status_code == 404
