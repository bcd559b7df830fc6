"""What counts as the same text, for names and for searching."""

import pytest

from tradeboard.core import folding


@pytest.mark.parametrize(
    "alike",
    [
        ("ドラゴン", "どらごん", "ﾄﾞﾗｺﾞﾝ", "ドラゴーン", "ドラゴ―ン", "ドラゴ〜ン"),
        ("カード", "カ-ド", "かーど", "ｶｰﾄﾞ", "カ－ド"),
        ("TB01-001", "tb01-001", "ＴＢ０１－００１", "TB01‐001", "tb01−001"),
        ("竜", "龍"),
        ("剣", "劍", "劔", "劒"),
        ("鉄", "鐵"),
        ("桜", "櫻"),
        ("亜", "亞"),
        ("斎", "齋", "斉", "齊"),
        ("❤", "❤️"),
        ("青眼の　白龍", " 青眼の 白竜 "),
    ],
)
def test_ways_of_writing_that_have_one_key(alike):
    keys = {folding.key(text) for text in alike}

    assert len(keys) == 1
    assert {folding.key(key) for key in keys} == keys


def test_what_is_not_the_same_has_keys_of_its_own():
    for one, other in (("竜", "亀"), ("ドラゴン-X", "ドラゴンX"), ("A-B", "AB")):
        assert folding.key(one) != folding.key(other)


def test_the_tables_of_old_and_new_forms_fit():
    assert len(folding.OLD_FORMS) == len(folding.NEW_FORMS)
    assert len(set(folding.OLD_FORMS)) == len(folding.OLD_FORMS)
    assert not set(folding.OLD_FORMS) & set(folding.NEW_FORMS)
    assert all(folding.fold(sign) == sign for sign in folding.OLD_FORMS)


def test_every_part_of_a_word_is_found_in_its_key():
    for word in ("リザードン", "ドラゴ―ン", "TB01-001", "青眼の白龍", "ドラゴン-X"):
        whole = folding.key(word)
        for begin in range(len(word)):
            for end in range(begin + 1, len(word) + 1):
                part = word[begin:end]
                if part not in "ー―":
                    assert folding.terms(part)[0] in whole, (word, part)


def test_names_are_compared_without_such_kindness():
    assert folding.fold("ドラゴーン") != folding.fold("ドラゴン")
    assert folding.fold("龍") != folding.fold("竜")
