from datetime import timedelta

from tests import pages
from tests.trades import rooms
from tests.worlds import make_trade
from tradeboard.core import clock
from tradeboard.todo import queries, rules
from tradeboard.trades.rules.next_step import Code, Step, Who

A_DAY = timedelta(days=1)


def codes(account):
    return [task.step.code for task in queries.tasks(account.id, clock.now())]


def test_the_list_follows_the_states_of_a_trade(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    assert (codes(alice), codes(bob)) == ([Code.ANSWER], [])

    rooms.accept(hers, trade_id)
    assert (codes(alice), codes(bob)) == ([Code.SEAL], [Code.SEAL])

    rooms.seal_both(trade_id, hers, his)
    assert (codes(alice), codes(bob)) == ([Code.SPEAK], [Code.SPEAK])

    rooms.confirm_call(trade_id, hers, his)
    assert (codes(alice), codes(bob)) == ([Code.SEND_FIRST], [Code.SEND_FIRST])

    rooms.dispatch(hers, trade_id)
    assert (codes(alice), codes(bob)) == ([], [Code.SEND_SECOND])

    rooms.dispatch(his, trade_id)
    assert (codes(alice), codes(bob)) == ([Code.CONFIRM], [Code.CONFIRM])

    rooms.receive(his, trade_id)
    assert (codes(alice), codes(bob)) == ([Code.CONFIRM], [])

    rooms.receive(hers, trade_id)
    assert (codes(alice), codes(bob)) == ([], [])


def test_a_task_leaves_the_list_in_the_answer_that_completes_it(log_in, alice, bob):
    trade = make_trade(alice, bob, sent_by=[bob], at=clock.now() - A_DAY)
    hers = log_in(alice)
    assert "bobさんへ発送する" in pages.text(pages.get(hers, "/todo"))

    answer = rooms.dispatch(hers, trade.id)
    page = pages.text(hers.get(answer.location).text)
    todo = pages.text(pages.get(hers, "/todo"))

    assert "カードを発送して" not in page
    assert "bobさんへ発送する" not in todo


def test_what_is_awaited_stands_below(log_in, alice, bob):
    his = log_in(bob)
    rooms.propose(alice, his)

    page = pages.text(pages.get(his, "/todo"))

    assert "相手を待っているもの" in page
    assert "aliceさんの返事を待っています" in page
    assert "いま、することはありません" in page


def test_the_badge_counts_what_the_list_shows(log_in, alice, bob):
    for days in (1, 2):
        make_trade(alice, bob, sent_by=[bob], at=clock.now() - days * A_DAY)
    page = pages.get(log_in(alice), "/todo")

    assert queries.count(alice.id, clock.now()) == 2
    assert page.count('<li class="card task">') == 2


def test_the_nearest_deadline_comes_first_and_none_last():
    now = clock.now()
    near, far = (Step(Code.CONFIRM, now + n * A_DAY, Who.YOU) for n in (1, 9))
    none = Step(Code.SOLVE, None, Who.YOU)
    tasks = [rules.Task(1, none), rules.Task(2, far), rules.Task(3, near)]

    assert [task.trade_id for task in rules.in_order(tasks)] == [3, 2, 1]
    assert [task.is_near(now) for task in tasks] == [False, False, True]


def test_more_trades_ask_the_database_no_more_often(
    log_in, alice, bob, charlie, statements
):
    client = log_in(alice)
    make_trade(alice, bob, sent_by=[bob], at=clock.now() - A_DAY)
    asked = {}
    for _round in range(2):
        for url in ("/todo", "/trades"):
            client.get(url)
            with statements() as seen:
                client.get(url)
            asked.setdefault(url, []).append(len(seen))
        for partner in (bob, charlie):
            make_trade(alice, partner, sent_by=[partner], at=clock.now() - A_DAY)
            make_trade(partner, alice, at=clock.now() - A_DAY)

    assert asked["/todo"][0] == asked["/todo"][1]
    assert asked["/trades"][0] == asked["/trades"][1]
    assert max(asked["/todo"]) <= 24


def test_the_list_of_trades_goes_on_by_keyset(log_in, alice, bob, monkeypatch):
    monkeypatch.setattr("tradeboard.trades.views.room.PAGE_SIZE", 2)
    ids = [make_trade(alice, bob, at=clock.now() - A_DAY).id for _ in range(3)]
    client = log_in(alice)

    first = pages.get(client, "/trades")
    more = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    second = pages.get(client, more)

    assert f'href="/trades/{ids[0]}"' not in first
    assert f'href="/trades/{ids[0]}"' in second
    assert f'href="/trades/{ids[2]}"' not in second
