"""The rules of feedback, without a database."""

from datetime import timedelta, timezone

import pytest

from tests.factories import MONDAY
from tradeboard.core.errors import RuleBroken
from tradeboard.feedback import rules
from tradeboard.feedback.rules import Grade, Summary

A_DAY = timedelta(days=1)
THERE = timezone(timedelta(hours=9))


def test_feedback_is_shown_after_two_weeks_and_written_within_thirty_days():
    assert rules.reveal_at(MONDAY) == MONDAY + 14 * A_DAY
    assert rules.write_until(MONDAY) == MONDAY + 30 * A_DAY
    for counted in (rules.reveal_at, rules.write_until):
        assert counted(MONDAY.astimezone(THERE)).utcoffset() == timedelta(0)


@pytest.mark.parametrize("grade", list(Grade))
def test_every_grade_with_four_tags_and_two_hundred_signs_is_fine(grade):
    rules.check(grade, list(rules.TAGS)[:4], "あ" * 200)
    rules.check(grade, [], "")


@pytest.mark.parametrize(
    ("grade", "tags", "words", "field", "said"),
    [
        (None, [], "", "grade", "評価"),
        ("great", [], "", "grade", "評価"),
        ("good", list(rules.TAGS)[:5], "", "tags", "4つまで"),
        ("good", ["packing", "own"], "", "tags", "一覧"),
        ("good", [], "あ" * 201, "words", "200字まで"),
        ("good", [], "09012345678", "words", "長い番号"),
        ("good", [], "番号は０９０（１２３４）ー５６７８です", "words", "長い番号"),
        ("good", [], "12 34‐56 78-9", "words", "長い番号"),
    ],
)
def test_what_is_not_on_the_lists_or_too_long_is_refused(
    grade, tags, words, field, said
):
    with pytest.raises(RuleBroken) as refused:
        rules.check(grade, tags, words)

    assert refused.value.field == field
    assert said in str(refused.value)


@pytest.mark.parametrize("words", ["12345678", "1234a56789", "2026年12月1日に12枚"])
def test_eight_digits_or_a_date_are_no_number_of_a_person(words):
    rules.check("good", [], words)


def test_of_one_pair_the_worst_grade_in_thirty_days_counts():
    said = [
        (1, MONDAY, Grade.GOOD),
        (1, MONDAY + 29 * A_DAY, Grade.FAIR),
        (1, MONDAY + 30 * A_DAY, Grade.GOOD),
        (2, MONDAY, Grade.BAD),
        (2, MONDAY, Grade.GOOD),
        (3, MONDAY, Grade.FAIR),
        (4, MONDAY, Grade.GOOD),
        (5, MONDAY, Grade.GOOD),
    ]

    assert rules.summary(said) == Summary(good=3, fair=2, bad=1)
    assert rules.summary([]) == Summary(0, 0, 0)
