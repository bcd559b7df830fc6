"""Charts count weeks and name nobody; a spreadsheet reads no cell as a formula."""

import csv
import io
from datetime import timedelta

import pytest

from tests.factories import MONDAY, make_account
from tests.worlds import make_trade
from tradeboard.core import clock, sheets
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.moderation import queries
from tradeboard.moderation.rules import charts as rules
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

A_DAY = timedelta(days=1)


def test_weeks_begin_on_monday_in_japan():
    sunday_evening = MONDAY.replace(hour=14, minute=59) - A_DAY
    assert rules.week_of(sunday_evening + timedelta(minutes=1)) != rules.week_of(
        sunday_evening
    )
    assert len(rules.weeks(MONDAY, 12)) == 12
    assert rules.weeks(MONDAY, 12)[-1] == rules.week_of(MONDAY)


def test_numbers_of_the_charts():
    starts = rules.weeks(MONDAY, 3)

    assert rules.by_week([MONDAY, MONDAY - 7 * A_DAY, MONDAY], starts) == [0, 1, 2]
    assert rules.by_week([MONDAY - 90 * A_DAY], starts) == [0, 0, 0]
    assert rules.shares([1, 0], [3, 0]) == [33, None]
    assert rules.middle([A_DAY, 2 * A_DAY, 4 * A_DAY]) == 2.0
    assert rules.middle([]) is None
    assert rules.by_age([MONDAY - n * A_DAY for n in (1, 3, 4, 14, 15)], MONDAY) == [
        2,
        1,
        1,
        1,
    ]


@pytest.mark.parametrize("draw", [rules.columns, rules.rows])
def test_bars_stay_in_their_drawing(draw):
    for bar in draw([0, 5, 1000, None, 3]):
        assert bar.x >= 0
        assert bar.y >= 0
        assert bar.x + bar.width <= rules.WIDTH


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("@x", "'@x"),
        ("-1", "'-1"),
        ("", ""),
        (3, "3"),
    ],
)
def test_a_formula_becomes_words(cell, written):
    assert sheets.guard(cell) == written
    assert sheets.guard(None) == ""


def end(trade, state, at):
    with transaction():
        row = db.session.get_one(Trade, trade.id)
        row.state, row.ended_at = state, at


def test_the_page_shows_every_chart_and_its_file(
    alice, bob, moderator, log_in, statements
):
    now = clock.now()
    end(make_trade(alice, bob), TradeState.RECEIVED, now)
    end(make_trade(alice, bob), TradeState.DEFAULTED, now)
    client = log_in(moderator)

    page = client.get("/desk/stats")
    with statements() as few:
        client.get("/desk/stats?weeks=26")
    for number in range(5):
        make_account(f"new{number}", created_at=now)
        end(make_trade(alice, bob), TradeState.RECEIVED, now)
    with statements() as many:
        client.get("/desk/stats?weeks=26")

    assert page.status_code == 200
    assert page.text.count('<svg class="chart"') >= len(queries.CHARTS) - 1
    assert "alice" not in page.text
    assert "style=" not in page.text
    assert len(few) == len(many)

    rate = client.get("/desk/stats/on_time.csv?weeks=12")
    assert rate.text.startswith("\ufeff")
    rows = list(csv.reader(io.StringIO(rate.text.removeprefix("\ufeff"))))
    assert len(rows) == 13
    assert rows[-1][1:] == ["86", "7"]
    assert client.get("/desk/stats/nothing.csv").status_code == 404
    assert log_in(alice).get("/desk/stats").status_code == 404
