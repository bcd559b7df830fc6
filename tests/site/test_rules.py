"""The rules of a site's settings, without a database."""

from datetime import timedelta

import pytest

from tests.factories import A_MOMENT, MONDAY
from tradeboard.site import rules
from tradeboard.site.rules import Key, Level, Said, Settings


@pytest.mark.parametrize(
    ("key", "longest"),
    [
        (Key.NAME, 40),
        (Key.CONTACT_JA, 500),
        (Key.CONTACT_EN, 500),
        (Key.GREETING_JA, 500),
        (Key.GREETING_EN, 500),
    ],
)
def test_texts_have_a_longest_length(key, longest):
    assert rules.is_possible(key, "")
    assert rules.is_possible(key, "あ" * longest)
    assert not rules.is_possible(key, "あ" * (longest + 1))


def test_choices_are_taken_from_their_list_and_other_keys_are_none():
    assert rules.is_possible("registration", "closed")
    assert not rules.is_possible("registration", "sometimes")
    assert rules.is_possible("language", "en")
    assert not rules.is_possible("language", "de")
    assert not rules.is_possible("ladder", "open")


def test_a_text_in_one_language_stands_for_both():
    both = Settings(contact_ja="日", contact_en="E", greeting_ja="朝", greeting_en="H")
    one, other = Settings(contact_ja="日"), Settings(contact_en="E")

    assert [both.contact(language) for language in ("ja", "en")] == ["日", "E"]
    assert [both.greeting(language) for language in ("ja", "en")] == ["朝", "H"]
    assert [one.contact(language) for language in ("ja", "en")] == ["日", "日"]
    assert [other.contact(language) for language in ("ja", "en")] == ["E", "E"]
    assert Settings().greeting("en") == ""


def test_a_value_that_is_no_longer_possible_changes_nothing():
    before = Settings(name="板", language="en")

    after = before.having({"name": "広場", "language": "de", "ladder": "1"})

    assert after == Settings(name="広場", language="en")
    assert Settings().registration_open
    assert not before.having({"registration": "closed"}).registration_open


def test_an_announcement_is_shown_from_its_start_until_before_its_end():
    end = MONDAY + timedelta(days=1)
    said = Said(1, Level.INFO, "日", "E", MONDAY, end)

    assert [said.text(language) for language in ("ja", "en")] == ["日", "E"]
    moments = (MONDAY - A_MOMENT, MONDAY, end - A_MOMENT, end)
    assert [said.is_current(now) for now in moments] == [False, True, True, False]
