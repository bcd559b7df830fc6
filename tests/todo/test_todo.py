from datetime import timedelta

import pytest

from tests import pages
from tests.blacklist.cases import do, listed
from tests.factories import DUE, make_account
from tests.feedback.worlds import ended, say
from tests.trades import rooms, test_table
from tests.trades.stages import Stage
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.blacklist.services import asking
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.reports.models import MemberWarning
from tradeboard.reports.rules import Reason
from tradeboard.terms import services as terms
from tradeboard.todo import queries, rules
from tradeboard.todo.rules import Duty
from tradeboard.trades.models import PhoneSide
from tradeboard.trades.rules.next_step import Code, Step, Who
from tradeboard.trades.services import phone

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


def duties(account):
    """Return what awaits beside trades; badge and list must agree about all of it."""
    db.session.rollback()
    now = clock.now()
    found = queries.open_in(queries.running(account.id), account.id, now)
    assert queries.count(account.id, now) == len(found)
    return [one.code for one in found if isinstance(one.code, Duty)]


@pytest.fixture
def opened(app, alice, bob, moderator):
    """Return how to open each duty of Alice's, and how to close it."""

    def ask():
        entry = listed(alice, bob)
        do(asking.ask, entry.id, alice.id, "控えは", by=moderator, now=DUE)
        page = f"/blacklist/asked/{entry.id}"
        fields = {"button": "担当者に送る", "words": "はい。"}
        return lambda browser: pages.submit(browser, page, **fields)

    def warn():
        with transaction():
            facts = {"reason": Reason.SPAM, "sentence": "同じ投稿です。"}
            warning = MemberWarning(
                account_id=alice.id, by_id=moderator.id, at=clock.now(), **facts
            )
            db.session.add(warning)
        return lambda browser: pages.submit(browser, "/me/warnings")

    def publish():
        with transaction():
            terms.publish_packaged(clock.now())
            terms.publish("新しい要点", "A new point", clock.now())

        def agree(browser):
            asked = pages.submit(browser, "/terms", "/terms/agree")
            fields = {"agree_terms": "2"}
            return pages.send(browser, "/terms/agree", asked.text, **fields)

        return agree

    def end_trade():
        now = clock.now()
        trade_id = ended(alice, bob, at=now - timedelta(days=1))
        return lambda _: say(trade_id, alice, "good", at=now)

    def lose_address():
        set_confirmed(alice, None)
        return lambda _: set_confirmed(alice, clock.now())

    return {
        Duty.ANSWER_MODERATOR: ask,
        Duty.GIVE_FEEDBACK: end_trade,
        Duty.READ_WARNING: warn,
        Duty.AGREE_TERMS: publish,
        Duty.CONFIRM_EMAIL: lose_address,
    }


def set_confirmed(account, at):
    with transaction():
        db.session.get(Account, account.id).email_confirmed_at = at


def test_each_duty_is_listed_until_it_is_done(log_in, alice, opened):
    browser = log_in(alice)
    assert duties(alice) == []
    for duty, begin in opened.items():
        finish = begin()

        assert duties(alice) == [duty]
        page = pages.get(browser, "/todo")
        assert page.count('<li class="card task">') == queries.count(
            alice.id, clock.now()
        )
        finish(browser)
        assert duties(alice) == []


def test_a_newcomer_is_not_asked_for_terms_before_the_first_post(app):
    with transaction():
        terms.publish_packaged(clock.now())

    assert duties(make_account("dora", agreed=False)) == []


ACTS_ONE_OWES = {"accept", "try words", "dispatch", "receive", "solve"}


def owes(trade_id, person, acts):
    """Tell whether the state table lets somebody do what the other side waits for."""
    own = db.session.query(PhoneSide).filter_by(trade_id=trade_id, account_id=person.id)
    to_seal = "seal" in acts and own.one().sealed_at is None
    return bool(acts & ACTS_ONE_OWES) or to_seal


def test_the_list_is_what_the_state_table_asks_for(write, alice, bob, monkeypatch):
    """Scenario 13: of one trade in each state, exactly those stand there."""
    for limit in ("MOST_OPEN_REVEALS", "MOST_REVEALS_A_DAY"):
        monkeypatch.setattr(phone, limit, 99)
    found = {}
    for name, (now, *acts) in sorted(test_table.ALLOWED.items(), key=ends_last):
        trade_id = getattr(Stage(alice, bob), name)().id
        for person, may in zip((alice, bob), acts, strict=True):
            listed = {task.trade_id for task in queries.tasks(person.id, now)}
            found[name, person.handle] = (
                trade_id in listed,
                owes(trade_id, person, may),
            )

    assert {
        key for key, (is_listed, owed) in found.items() if is_listed != owed
    } == set()


def ends_last(stage):
    """Put what bars somebody from the next trade behind."""
    return stage[0] == "defaulted"
