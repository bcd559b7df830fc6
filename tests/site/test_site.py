"""What the operator says of the site: settings, announcements, help, their history."""

from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from tests.factories import MONDAY, count
from tradeboard.core import clock
from tradeboard.core.counts import ThrottleBucket
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.site import queries, services
from tradeboard.site.rules import Key, Level, Settings

A_DAY = timedelta(days=1)


def change(key, value):
    with transaction():
        said = services.change(key, value, by_id=1, now=MONDAY)
    queries.forget()
    return said


def announce(starts_at, ends_at, text="止まります"):
    with transaction():
        made = services.announce(
            Level.WARN,
            text,
            "It stops",
            starts_at=starts_at,
            ends_at=ends_at,
            by_id=1,
            now=MONDAY,
        ).id
    queries.forget()
    return made


def test_settings_hold_until_they_are_changed_and_keep_their_history(app):
    assert queries.settings() == Settings()

    assert change(Key.NAME, " 星のトレード ") == ("", "星のトレード")
    assert change(Key.NAME, "星のトレード") == ("星のトレード", "星のトレード")
    assert change(Key.REGISTRATION, "closed") == ("open", "closed")

    assert queries.settings().name == "星のトレード"
    assert not queries.settings().registration_open
    assert [c.key for c in queries.setting_history()] == ["registration", "name"]


def test_what_a_setting_cannot_be_is_refused(app):
    with pytest.raises(RuleBroken):
        change(Key.NAME, "あ" * 41)
    with pytest.raises(RuleBroken):
        change(Key.LANGUAGE, "fr")


def test_words_in_one_language_stand_in_for_the_other():
    settings = Settings(greeting_ja="ようこそ", contact_en="Write to us")

    assert settings.greeting("en") == "ようこそ"
    assert settings.contact("ja") == "Write to us"


def test_settings_are_read_once_in_ten_seconds(app, statements):
    queries.forget()

    with statements() as seen:
        for _ in range(5):
            queries.settings()
            queries.current_announcements(MONDAY)

    assert len(seen) == 2


def test_an_announcement_is_shown_from_its_beginning_to_its_end(app):
    announce(MONDAY + A_DAY, MONDAY + 2 * A_DAY)

    shown = [bool(queries.current_announcements(MONDAY + n * A_DAY)) for n in range(3)]

    assert shown == [False, True, False]


def test_an_announcement_ends_early_once(app):
    made = announce(MONDAY, MONDAY + 2 * A_DAY)

    with transaction():
        services.end_early(made, now=MONDAY + A_DAY)
    queries.forget()

    assert queries.current_announcements(MONDAY + A_DAY) == []
    with pytest.raises(Conflict), transaction():
        services.end_early(made, now=MONDAY + A_DAY)


@pytest.mark.parametrize(("starts", "ends"), [(1, 1), (-3, -1), (0, 91)])
def test_a_time_that_is_none_is_refused(app, starts, ends):
    with pytest.raises(RuleBroken):
        announce(MONDAY + starts * A_DAY, MONDAY + ends * A_DAY)


def test_every_page_shows_the_name_and_what_is_announced(app):
    now = clock.now()
    change(Key.NAME, "星のトレード")
    announce(now - A_DAY, now + A_DAY, "<b>夜に止まります</b>")

    page = app.test_client().get("/login", headers={"Accept-Language": "ja"}).text

    assert "&lt;b&gt;夜に止まります&lt;/b&gt;" in page
    assert page.count("星のトレード") == 2


def test_who_wishes_for_no_language_reads_that_of_the_site(app):
    change(Key.LANGUAGE, "en")

    assert '<html lang="en"' in app.test_client().get("/login").text
    wished = app.test_client().get("/login", headers={"Accept-Language": "ja"})
    assert '<html lang="ja"' in wished.text


def test_a_help_text_goes_back_to_what_came_with_the_board(app):
    with transaction():
        services.write_help("rules", "ja", "# 新しい\n\n文", by_id=1, now=MONDAY)
        services.write_help("rules", "ja", "", by_id=1, now=MONDAY)
        services.write_help("rules", "en", "# New", by_id=1, now=MONDAY)

    assert queries.newest_help("rules", "ja").text == ""
    assert [v.number for v in queries.help_history("rules", "ja")] == [2, 1]
    assert queries.get_help_version("rules", "ja", 1).text.startswith("# 新しい")
    with pytest.raises(RuleBroken):
        services.write_help("rules", "ja", "見出しなし", by_id=1, now=MONDAY)


def test_what_pages_show_is_read_beside_the_transaction_of_a_verb(app):
    """What a verb left to be written is neither written nor undone by it."""
    queries.forget()

    def act(number):
        with transaction():
            db.session.add(ThrottleBucket(key="kept", count=1, expires_at=MONDAY))
            db.session.add(ThrottleBucket(key="too", count=number, expires_at=MONDAY))
            assert queries.state().settings == queries.settings()

    with pytest.raises(IntegrityError):
        act(None)
    assert count(ThrottleBucket) == 0
    queries.forget()
    act(2)
    assert count(ThrottleBucket) == 2
