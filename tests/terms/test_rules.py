"""Versions of the terms, without a database."""

import pytest

from tradeboard.terms import rules
from tradeboard.terms.rules import Change


@pytest.mark.parametrize(
    ("newest", "agreed", "due"),
    [(None, None, False), (1, None, True), (2, 1, True), (2, 2, False), (2, 3, False)],
)
def test_who_has_not_agreed_to_the_newest_version_is_asked(newest, agreed, due):
    assert rules.is_due(newest, agreed) is due


def test_paragraphs_that_differ_are_told_in_reading_order():
    before = "# 規約\n\n一\n 二 \n三\n"
    after = "# 規約\n一\n四\n\n五\n三\n六"

    assert rules.changes(before, after) == [
        Change(False, "二"),
        Change(True, "四"),
        Change(True, "五"),
        Change(True, "六"),
    ]
    assert rules.changes(before, "# 規約\n一\n二\n三") == []
    assert rules.changes("", "一") == [Change(True, "一")]


def test_a_paragraph_that_comes_often_is_compared_as_any_other():
    common = "\n".join(["同じ"] * 300)

    assert rules.changes(common, common + "\n同じ") == [Change(True, "同じ")]
    several = [f"{n % 20}" for n in range(300)]
    changed = [*several[:150], "新", *several[150:]]
    found = rules.changes("\n".join(several), "\n".join(changed))
    assert found == [Change(True, "新")]


def test_the_points_are_the_items_of_the_first_list():
    assert rules.points("# 題\n- 一\n-  二 \nあ\n- 三") == ["一", "二"]
    assert rules.points("題だけ") == []
    assert rules.points("") == []


def test_the_rest_of_the_text_comes_without_title_points_and_their_heading():
    text = "# 規約\n## 大事\n- 一\n\n- 二\n\n## 本文\n# 題\nあ\n- い\n"

    assert rules.after_points(text) == "## 本文\nあ\n- い"
    assert rules.after_points("# 規約\n- 一\n- 二\n") == ""
    assert rules.after_points("# 規約\n\nあ\n") == "あ"
    assert rules.after_points("前\n- 一\n後") == "後"
