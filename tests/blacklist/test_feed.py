"""What mirrors are told, in which order, and what they are never told."""

import itertools
from functools import partial

from sqlalchemy import select

from tests.blacklist.cases import (
    A_DAY,
    both_sent,
    contest,
    do,
    entry_of,
    lift,
    listed,
    receive,
    uphold,
    use_device,
)
from tests.factories import DUE, MONDAY, make_account
from tests.races import race
from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries
from tradeboard.blacklist.jobs import expire_entries, sweep_overdue_trades
from tradeboard.blacklist.models import Change, Entry
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.blacklist.services import entering, feed
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken
from tradeboard.trades.rules.findings import Finding

CODE = "D-7F3K-9QXM"


def told(since=0):
    """Return what the feed says after a number: numbers, kinds and bodies."""
    db.session.rollback()
    rows = db.session.scalars(
        select(Change).where(Change.seq > since).order_by(Change.seq)
    )
    return [(row.seq, row.type.value, row.body) for row in rows]


def set_columns(entry, type, **columns):
    """Let an appeal set what it sets, and tell."""

    def change():
        row = db.session.get_one(Entry, entry.id)
        for name, value in columns.items():
            setattr(row, name, value)
        feed.tell(row, type, now=DUE)

    do(change)


def test_listing_upholding_and_lifting_are_told_once_and_in_order(
    app, alice, bob, moderator
):
    use_device(bob, CODE, MONDAY + A_DAY)
    entry = listed(alice, bob)
    whole = queries.entry_as_json(queries.public_entry(entry.id))
    assert told() == [(1, "listed", whole)]
    assert whole["devices"] == [CODE]

    uphold(entry, moderator, now=DUE + A_DAY)
    (upheld,) = told(1)
    assert upheld[:2] == (2, "upheld")
    assert upheld[2] == whole | {"reviewed": True, "expires": "2028-06-15"}

    lift(entry_of(bob), moderator, now=DUE + 2 * A_DAY)
    gone = {"id": entry.id}
    assert told() == [(1, "listed", gone), (2, "upheld", gone), (3, "lifted", gone)]


def test_a_held_entry_leaves_no_trace(app, alice, bob, moderator):
    trade = both_sent(alice, bob)
    receive(trade, bob)
    contest(trade, alice)
    sweep_overdue_trades(DUE)
    assert told() == []

    lift(entry_of(alice), moderator, now=DUE + A_DAY)
    assert told() == []


def test_a_held_entry_that_is_published_is_told_whole(app, alice, bob, moderator):
    trade = both_sent(alice, bob)
    receive(trade, bob)
    contest(trade, alice)
    sweep_overdue_trades(DUE)

    uphold(entry_of(alice), moderator, now=DUE + A_DAY, reason="evidence")

    ((_, type, body),) = told()
    assert (type, body["handle"], body["reviewed"]) == ("upheld", "alice", True)


def test_other_entries_of_the_person_are_amended_when_they_count_anew(
    app, alice, bob, charlie, moderator
):
    first = listed(alice, bob)
    second = listed(charlie, bob)

    assert [(type, body["id"]) for _, type, body in told()] == [
        ("listed", first.id),
        ("listed", second.id),
        ("amended", first.id),
    ]
    assert [body["count"] for _, _, body in told()] == [1, 2, 2]

    lift(second, moderator, now=DUE + A_DAY)
    (tombstone, amended) = told(3)
    assert tombstone[1:] == ("lifted", {"id": second.id})
    assert amended[1] == "amended"
    assert amended[2] == queries.entry_as_json(queries.public_entry(first.id))
    assert amended[2]["count"] == 1


def test_what_is_hidden_stays_so_until_its_appeal_is_closed(
    app, alice, bob, charlie, moderator
):
    entry = listed(alice, bob)
    set_columns(entry, ChangeType.APPEALED, appealed_at=DUE)
    set_columns(entry, ChangeType.HIDDEN, hidden_at=DUE)
    assert [type for _, type, _ in told()] == ["listed", "appealed", "hidden"]
    assert told()[-1][2]["handle"] == "bob"
    answer = queries.answer_for(handle="bob", now=DUE)
    assert (answer.status, answer.entries) == ("under_appeal", [])
    assert queries.public_entry(entry.id) is None
    assert queries.public_page() == []

    other = listed(charlie, bob)
    assert [(type, body["id"]) for _, type, body in told(3)] == [
        ("listed", other.id),
        ("hidden", entry.id),
    ]
    answer = queries.answer_for(handle="bob", now=DUE)
    assert answer.status == "listed"
    assert [(shown.id, shown.count) for shown in answer.entries] == [(other.id, 1)]

    set_columns(entry, ChangeType.APPEAL_CLOSED, appealed_at=None, hidden_at=None)
    assert [(type, body["count"]) for _, type, body in told(5)] == [
        ("appeal_closed", 2),
        ("amended", 2),
    ]


def test_an_entry_under_appeal_is_answered_with_its_facts(app, alice, bob, charlie):
    entry = listed(alice, bob)
    set_columns(entry, ChangeType.APPEALED, appealed_at=DUE)

    answer = queries.answer_for(handle="bob", now=DUE)

    assert answer.status == "under_appeal"
    assert [shown.under_appeal for shown in answer.entries] == [True]
    listed(charlie, bob)
    assert queries.answer_for(handle="bob", now=DUE).status == "listed"


def test_an_expired_entry_is_told_by_its_number_alone(app, alice, bob):
    entry = listed(alice, bob)
    expire_entries(DUE + 731 * A_DAY)

    gone = {"id": entry.id}
    assert told() == [(1, "listed", gone), (2, "expired", gone)]


def test_numbers_have_no_gaps_however_many_write_at_once(app):
    people = [make_account(f"member{n}").id for n in range(6)]

    def enter(id):
        entering.enter(
            db.session.get_one(Account, id),
            None,
            Finding.NEVER_DISPATCHED,
            state=EntryState.LISTED,
            devices=[],
            phones=[],
            facts={},
            by_id=None,
            now=DUE,
        )

    def fail(id):
        enter(id)
        raise RuleBroken("no")

    acts = [
        *(partial(enter, id) for id in people),
        *(partial(fail, id) for id in people[:2]),
    ]
    outcomes = race(app, *acts)
    # Of two who draw the same number one draws again, as on a page.
    for at, outcome in enumerate(outcomes):
        if outcome == "Conflict":
            outcomes[at] = race(app, acts[at])[0]

    assert sorted(outcomes) == ["RuleBroken"] * 2 + ["done"] * 6
    assert [seq for seq, _, _ in told()] == list(range(1, 7))
    assert {body["handle"] for _, _, body in told()} == {f"member{n}" for n in range(6)}
    assert queries.last_seq() == 6


def test_what_is_rolled_back_is_never_told(app, alice, bob, write):
    listed_at = queries.last_seq()
    feed.tell(Entry(id=1, account_id=bob.id), ChangeType.LISTED, now=DUE)
    db.session.rollback()
    db.session.commit()

    assert (listed_at, told()) == (0, [])


def test_the_head_of_the_audit_log_is_locked_after_that_of_the_feed(
    app, alice, bob, moderator, statements
):
    entry = listed(alice, bob)

    with statements() as seen:
        uphold(entry, moderator, now=DUE + A_DAY)

    heads = [
        head for text in seen for head in ("feed_head", "audit_head") if head in text
    ]
    assert [head for head, _ in itertools.groupby(heads)] == ["feed_head", "audit_head"]
