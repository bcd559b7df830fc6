from datetime import UTC, date, datetime, timedelta

import pytest
from flask import Flask, render_template_string
from flask_babel import Babel

from tradeboard.web import moments

DUE = datetime(2026, 12, 12, 6, 40, tzinfo=UTC)


def test_an_instant_names_its_zone():
    assert moments.moment(DUE, "ja") == "2026年12月12日(土) 15:40（日本時間）"
    assert moments.moment(DUE, "en") == "Sat 12 Dec 2026, 15:40 Japan time"


def test_the_machine_reads_japans_offset():
    assert moments.iso_jst(DUE) == "2026-12-12T15:40:00+09:00"


def test_whoever_lives_elsewhere_reads_the_own_time_too():
    honolulu = "Pacific/Honolulu"

    there = "2026年12月12日(土) 15:40（日本時間、あなたの時間では12月11日(金) 20:40）"
    assert moments.moment(DUE, "ja", honolulu) == there
    there = "Sat 12 Dec 2026, 15:40 Japan time (Fri 11 Dec, 20:40 your time)"
    assert moments.moment(DUE, "en", honolulu) == there
    assert moments.own_moment(DUE, "ja", "Asia/Seoul") == ""


def test_lists_drop_the_year_and_the_zone():
    assert moments.short_moment(DUE, "ja") == "12月12日(土) 15:40"
    assert moments.short_moment(DUE, "en") == "Sat 12 Dec, 15:40"


def test_an_instant_falls_on_its_day_in_japan():
    late_in_utc = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)

    assert moments.day(late_in_utc, "ja") == "12月1日(火)"
    assert moments.month(late_in_utc, "en") == "December 2026"


def test_a_day_is_taken_as_it_is():
    assert moments.day(date(2026, 12, 8), "ja") == "12月8日(火)"
    assert moments.day(date(2026, 12, 8), "en") == "Tue 8 Dec"
    assert moments.month(date(2026, 11, 1), "ja") == "2026年11月"


def test_an_instant_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="without a zone"):
        moments.moment(datetime(2026, 12, 12), "ja")


@pytest.mark.parametrize(
    ("left", "ja", "en"),
    [
        (
            timedelta(days=11, hours=18, minutes=59, seconds=59),
            "あと11日18時間",
            "11 days 18 hours left",
        ),
        (timedelta(days=1), "あと1日", "1 day left"),
        (
            timedelta(days=1) - timedelta(microseconds=1),
            "あと23時間59分",
            "23 hours 59 minutes left",
        ),
        (timedelta(hours=5, minutes=12), "あと5時間12分", "5 hours 12 minutes left"),
        (timedelta(hours=1, minutes=1), "あと1時間1分", "1 hour 1 minute left"),
        (timedelta(minutes=30), "あと30分", "30 minutes left"),
        (timedelta(seconds=59), "あと1分未満", "less than 1 minute left"),
    ],
)
def test_time_left_is_rounded_down(left, ja, en):
    assert moments.time_left(DUE, DUE - left, "ja") == ja
    assert moments.time_left(DUE, DUE - left, "en") == en


@pytest.mark.parametrize("over", [timedelta(0), timedelta(days=3)])
def test_at_zero_it_only_says_that_it_is_checked(over):
    said = moments.time_left(DUE, DUE + over, "ja")

    assert said == "期限を過ぎました。確認しています"


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Sat 12 Dec, 15:40 / 1 day left"), ("ja", "12月12日(土) 15:40 / あと1日")],
)
def test_the_filters_speak_the_readers_language(language, said):
    app = Flask("test")
    Babel(app, locale_selector=lambda: language)
    moments.init_app(app)
    page = "{{ due | short_moment }} / {{ due | time_left(now) }}"

    with app.test_request_context():
        assert (
            render_template_string(page, due=DUE, now=DUE - timedelta(days=1)) == said
        )
