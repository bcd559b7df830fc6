import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradeboard.accounts.rules import phone
from tradeboard.accounts.rules.phone import Verdict, check_phone, display, masked

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/phone.json").read_text())


def code_of(typed, region="JP"):
    return check_phone(typed, region).code


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["reason"])
def test_every_vector_gets_its_answer(vector):
    found = check_phone(vector["input"], vector["region"])

    assert found.verdict == vector["verdict"]
    assert found.code == vector["code"]
    assert found.key == vector["key"]
    assert (found.message is None) == (found.verdict is Verdict.ACCEPT)
    assert found.message is None or str(found.message)


@given(st.text(max_size=60) | st.text("+0123456789-() x#内線tel:", max_size=45))
def test_no_text_is_too_strange(text):
    found = check_phone(text)

    assert (found.key is None) == (found.verdict is Verdict.REFUSE)


@given(st.text("+0123456789-() ", max_size=40))
def test_the_key_is_read_as_itself(text):
    key = check_phone(text).key

    assert key is None or check_phone(key).key == key
    assert key is None or display(key)
    assert key is None or key[-7:-2] not in masked(key)


def test_a_very_long_text_is_only_long():
    assert code_of("0" * 10_000) == "length"
    assert code_of(" " * 41) == "length"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("TEL：090ー3123ー4567", "mobile"),
        ("携帯電話. 090─3123−4567", "mobile"),
        ("自宅 03-3123-4567", "fixed_line"),
        ("自宅 電話 03-3123-4567", "chars"),
        ("186 090 3123 4567", "mobile"),
        ("(184)09031234567", "mobile"),
        ("03-3123-4567 EXT. 123456", "fixed_line"),
        ("03-3123-4567x12", "fixed_line"),
        ("03-3123-4567＃12", "fixed_line"),
        ("03-3123-4567 内線1234567", "chars"),
        ("090-1234-5678 内線3", "ext_on_mobile"),
        ("090\u200b-3123-4567\n", "mobile"),
        ("---", "parse"),
        ("+999 123 456 789", "parse"),
        ("090-7777-7777", "dummy"),
        ("03-1234-5678", "dummy"),
        ("050-1234-5678", "voip"),
        ("+44 7911 123456", "mobile"),
        ("+81 3 3123 4567", "fixed_line"),
    ],
)
def test_each_step_has_its_say(typed, code):
    assert code_of(typed) == code


def test_the_prefix_that_hides_the_caller_is_only_japanese():
    assert code_of("184-090-3123-4567", "US") != "mobile"


def test_an_extension_stays_out_of_the_key():
    found = check_phone("03-3123-4567 内線12")

    assert (found.key, found.extension) == ("+81331234567", "12")
    assert display(found.key, found.extension) == "03-3123-4567 内線12"


def test_an_unknown_region_is_no_region():
    assert code_of("090-3123-4567", "XX") == "parse"
    assert code_of("+81 90-3123-4567", "XX") == "mobile"


def test_numbers_abroad_are_shown_with_their_country():
    assert display("+819031234567") == "090-3123-4567"
    assert display("+390669812345") == "+39 06 6981 2345"
    assert display("+14155552671", "9") == "+1 415-555-2671 ext. 9"
    assert phone.is_japanese("+819031234567")
    assert not phone.is_japanese("+14155552671")


def test_a_mask_leaves_the_start_and_two_digits():
    assert masked("+819031234567") == "090-****-**67"
    assert masked("+81331234567") == "03-****-**67"
    assert masked("+14155552671") == "+1 ***-***-**71"
