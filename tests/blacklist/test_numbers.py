"""What the board tells everybody about its own work, in numbers and of nobody."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from tests import pages
from tests.blacklist.cases import (
    A_DAY,
    appeal,
    contest,
    do,
    entry_of,
    lift,
    listed,
    receive,
    uphold,
    withhold,
)
from tests.factories import DUE, MONDAY, make_account
from tests.worlds import TRACKED, make_trade
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.queries import numbers
from tradeboard.blacklist.rules import numbers as rules
from tradeboard.blacklist.rules.entries import LiftReason
from tradeboard.blacklist.rules.numbers import Kind
from tradeboard.blacklist.services import appeals, hand, receipts, timed
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.trades import queries as trades
from tradeboard.trades.rules.findings import Finding

URL = "/blacklist/numbers"
AN_HOUR = timedelta(hours=1)
NOW = DUE + 60 * A_DAY
NOTHING = "公開した登録は、まだ1件もありません"


def totals(now=NOW):
    """Return every count in all, and how many appeals are open."""
    db.session.rollback()
    tally = numbers.read(now).tally
    counted = {kind.value: tally.in_all(kind) for kind in Kind}
    return {kind: n for kind, n in counted.items() if n} | {"open": tally.open_appeals}


def refuse(made, by, *, now):
    """Let a moderator refuse an appeal."""
    version = made.version
    do(appeals.refuse, made.id, "記録で足ります。", version=version, by=by, now=now)


def grant(made, by, *, now):
    """Let a moderator grant an appeal."""
    do(
        appeals.grant,
        made.id,
        "配達が確かめられました。",
        reason=LiftReason.DELIVERED,
        version=made.version,
        by=by,
        now=now,
    )


def contested(partner, person):
    """Let somebody's entry wait: a delivery was claimed in time."""
    trade = make_trade(partner, person, sent_by=[partner, person], tracking=TRACKED)
    receive(trade, partner, now=MONDAY + A_DAY)
    contest(trade, person)
    sweep_overdue_trades(trade.due_at)
    return entry_of(person, trade)


def withheld(partner, person):
    """Let somebody's entry wait: the own parcel was held back in time."""
    trade = make_trade(partner, person, sent_by=[partner])
    withhold(trade, person)
    sweep_overdue_trades(trade.due_at)
    return entry_of(person, trade)


def test_everything_public_is_counted_once_where_it_belongs(app, alice, moderator):
    people = [make_account(f"person{n}") for n in range(6)]
    entries = [listed(alice, person) for person in people]
    decider = make_account("decider", role=moderator.role)

    uphold(entries[0], moderator, now=DUE + A_DAY)
    uphold(entries[1], moderator, now=DUE + 3 * A_DAY)
    lift(entries[2], moderator, now=DUE + 20 * A_DAY, reason="settled")
    made = appeal(entries[0], people[0], now=DUE + 30 * A_DAY)
    refuse(made, decider, now=DUE + 31 * A_DAY)
    made = appeal(entries[1], people[1], now=DUE + 30 * A_DAY)
    grant(made, decider, now=DUE + 33 * A_DAY)
    appeal(entries[3], people[3], now=DUE + 30 * A_DAY)
    appeal(entries[4], people[4], now=DUE + 30 * A_DAY)
    parcel = trades.get_trade(entries[4].trade_id).leg_from(people[4].id)
    do(
        receipts.confirm_late,
        parcel.id,
        arrived_at=DUE - A_DAY,
        by=alice,
        now=DUE + 40 * A_DAY,
    )
    do(
        hand.list_by_hand,
        people[5].id,
        Finding.BY_HAND,
        None,
        "控え",
        "証拠を確かめました。",
        by=moderator,
        now=DUE + 40 * A_DAY,
    )

    assert totals() == {
        "listed": 7,
        "upheld": 3,
        "lifted": 3,
        "unreviewed": 2,
        "appealed": 4,
        "granted": 1,
        "refused": 1,
        "closed": 1,
        "open": 1,
    }
    found = numbers.read(NOW)
    assert found.tally.reasons == {"settled": 1, "delivered": 1, "received_in_time": 1}
    # After 1, 3 and 20 days; by hand nobody waited, and time is no moderator.
    assert found.first_decision == rules.Typical(3, 3 * A_DAY)
    assert found.appeal == rules.Typical(2, 2 * A_DAY)
    # The due instant is on 15 June; the months are Japan's.
    by_month = found.tally.by_month
    assert by_month(Kind.LISTED)[-3:] == [6, 1, 0]
    assert by_month(Kind.LIFTED)[-3:] == [0, 3, 0]

    page = pages.get(app.test_client(), URL)
    said = pages.text(page)
    for words in ("3.0日", "2.0日", "件数が少ないので", "当事者の間で解決した"):
        assert words in said
    assert not [p.handle for p in [*people, alice, moderator] if p.handle in said]
    assert not re.search(r"\bE-\d|\bstyle=", page)

    do(timed.expire, entries[0].id, now=entries[0].expires_at)
    later = totals(now=DUE + 900 * A_DAY)
    assert (later["listed"], later["upheld"], later["expired"]) == (7, 3, 1)


def test_what_was_never_public_changes_no_number(app, alice, moderator, statements):
    client = app.test_client()
    nobody = numbers.read(NOW)
    assert NOTHING in pages.get(client, URL)
    with statements() as few:
        numbers.read(NOW)

    entries = [
        contested(alice, make_account("waits")),
        contested(alice, make_account("upheld")),
        withheld(alice, make_account("withholds")),
    ]
    assert {entry.listed_at for entry in entries} == {None}
    lift(entries[0], moderator, now=DUE + A_DAY)

    db.session.rollback()
    assert numbers.read(NOW) == nobody
    assert NOTHING in pages.get(client, URL)

    uphold(entries[1], moderator, now=DUE + 5 * A_DAY)
    do(timed.list_withheld, entries[2].id, now=DUE + 7 * A_DAY)
    uphold(entries[2], moderator, now=DUE + 7 * A_DAY + AN_HOUR)
    db.session.rollback()
    with statements() as many:
        found = numbers.read(NOW)
    # How long one waited in secret is told nowhere.
    assert found.first_decision == rules.Typical(1, AN_HOUR)
    assert totals() == {"listed": 2, "upheld": 2, "open": 0}
    assert len(many) == len(few) <= 4


def test_everybody_finds_the_page_and_search_engines_are_kept_out(
    app, alice, bob, log_in
):
    listed(alice, bob, at=clock.now() - 20 * A_DAY)
    client = app.test_client()

    for reader, url in ((client, "/blacklist"), (log_in(alice), "/blacklist/list")):
        assert f'href="{URL}"' in pages.get(reader, url)
    answer = client.get(URL)
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.text.count('<svg class="chart"') == 7
    assert answer.text.count("<table>") == 4
    assert '<td class="num">1</td>' in answer.text


def test_the_months_begin_in_japan():
    last_moment = datetime(2026, 12, 31, 14, 59, 59, tzinfo=UTC)

    starts = rules.month_starts(last_moment)
    assert (len(starts), f"{starts[0]:%Y-%m}", f"{starts[-1]:%Y-%m}") == (
        12,
        "2026-01",
        "2026-12",
    )
    assert f"{rules.month_starts(last_moment + A_DAY)[-1]:%Y-%m}" == "2027-01"
    assert starts[0] == datetime(2025, 12, 31, 15, tzinfo=UTC)


def test_a_median_is_said_in_the_unit_that_fits():
    assert rules.typical([]) == rules.Typical(0, None)
    assert rules.typical([AN_HOUR, 2 * AN_HOUR]).hours == 1
    assert rules.typical([47 * AN_HOUR]).days is None
    four = rules.typical([A_DAY, 3 * A_DAY, 4 * A_DAY, 90 * A_DAY])
    assert (four.days, four.hours, four.is_few) == ("3.5", None, True)
    assert not rules.typical([A_DAY] * rules.FEW).is_few


def test_bars_stay_within_their_drawing_and_are_in_proportion():
    columns = rules.columns([0, 5, 10, *[0] * 9])
    assert [bar.height for bar in columns[:3]] == [0, 59, 118]
    assert all(bar.y + bar.height == 138 for bar in columns)
    assert all(one.x + one.width < other.x for one, other in pairwise(columns))
    assert columns[-1].x + columns[-1].width <= rules.WIDTH

    rows = rules.rows([10, 5, 0])
    assert [bar.width for bar in rows] == [312, 156, 0]
    assert all(bar.count_x < rules.WIDTH for bar in rows)
    # Few do not look like many.
    assert [bar.height for bar in rules.columns([1, 0])] == [23.6, 0]
    assert rules.columns([0, 0])[0].height == rules.rows([0])[0].width == 0
