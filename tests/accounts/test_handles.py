import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tradeboard.accounts.rules import datafiles
from tradeboard.accounts.rules.handles import Verdict, check_handle, skeleton

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/handle.json").read_text())
PAIRS = [vector for vector in VECTORS if "a" in vector]
SINGLE = [vector for vector in VECTORS if "input" in vector]

NAMES = st.text(
    "カか力ガぁゃヶー一-〜~rnmvw1ilIO0oоаÇ☆ ・_\u0301\u3099a9ΐßﾎﾟŉﬁヷㇷ", max_size=24
)


def code_of(typed):
    return check_handle(typed).code


@pytest.mark.parametrize("vector", PAIRS, ids=lambda vector: vector["reason"])
def test_every_pair_reads_as_it_should(vector):
    same = skeleton(vector["a"]) == skeleton(vector["b"])

    assert same == (vector["relation"] == "same")


@pytest.mark.parametrize("vector", SINGLE, ids=lambda vector: vector["reason"])
def test_every_vector_gets_its_answer(vector):
    found = check_handle(vector["input"])

    assert found.verdict == vector["verdict"]
    assert found.code == vector["code"]
    assert (found.skeleton is None) == (found.verdict is Verdict.REFUSE)
    assert (found.message is None) == (found.verdict is Verdict.ACCEPT)
    assert found.message is None or str(found.message)


@given(NAMES | st.text(max_size=24))
@example("a☆\u0308")
@example("カ一一")
@example("カ-一a")
@example("rvvn")
def test_a_skeleton_reads_as_itself(text):
    assert skeleton(skeleton(text)) == skeleton(text)


@given(NAMES | st.text(max_size=24))
def test_a_good_handle_is_shown_as_it_would_be_typed(text):
    found = check_handle(text)
    again = check_handle(found.shown)

    assert (again.code, again.shown) == (found.code, found.shown)
    assert found.verdict is Verdict.REFUSE or found.skeleton


@pytest.mark.parametrize("piece", ["a", " ", "\u0301\u0323", "\ufe0f", "ー", "ﾞ\u0301"])
def test_long_texts_stay_quick(piece):
    text = "a" + (piece * 10_000)[:9_999]
    start = time.process_time()

    check_handle(text)
    skeleton(text)

    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("サトウ", "ｻﾄｳ"),
        ("ユーザー", "ユーザーー"),
        ("八一ト", "はーと"),
        ("ヴ", "う\u3099"),
        ("Ёлка", "елка"),
        ("vvolf", "wolf"),
        ("𠮷野", "吉野"),
        ("ヶ", "け"),
        ("ㇰ", "く"),
        ("K・e・n", "Ken"),
    ],
)
def test_these_read_the_same(one, other):
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("taro", "tarou"), ("かa", "かーa"), ("一郎", "郎"), ("し", "じ")],
)
def test_these_read_differently(one, other):
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("ken\u00a0ji", "chars.invisible"),
        ("a\u2800", "chars.invisible"),
        ("a\u3164b", "chars.invisible"),
        ("a\ufe01b", "chars.invisible"),
        ("\u200b" * 50, "chars.invisible"),
        ("  た\u3000", "length"),
        ("a" + " " * 5_000 + "b", "ok"),
        ("け\ufe0fん", "ok"),
        ("山田🐉", "chars.symbol"),
        ("a1\u0301", "chars.symbol"),
        ("q\u0301\u0302\u0303", "chars.symbol"),
        ("q\u0301\u0302", "ok"),
        ("नमन", "script.unsupported"),
        ("น้ำใจ", "ok"),
        ("Αlpha", "script.mixed"),
        ("〇〇", "needs_letter"),
        ("ＡＤＭＩＮ", "reserved"),
        ("adm1n", "reserved"),
        ("admin2", "ok"),
        ("サポ-ト", "reserved"),
        ("運 営", "reserved"),
        ("my TradeB0ard", "reserved"),
        ("ｄ－７ｆ３ｋ－９ｑｘｍ", "reserved"),
        ("taroyama", "ok"),
        ("dragonfly", "ok"),
    ],
)
def test_the_first_failure_answers(typed, code):
    assert code_of(typed) == code


def test_a_handle_is_shown_without_outer_blanks_and_selectors():
    assert check_handle("\u3000みき ☆\ufe0f ").shown == "みき ☆"
    assert check_handle("か\u3099く\u3000\u3000や").shown == "がく や"


def test_the_operator_reserves_more(tmp_path):
    (tmp_path / "reserved_handles.txt").write_text("*店長*\nboss\n")
    datafiles.use_folder(tmp_path)

    try:
        assert code_of("B0SS") == "reserved"
        assert code_of("新宿の店長です") == "reserved"
    finally:
        datafiles.use_folder(None)

    assert code_of("B0SS") == "ok"
