import re
import unicodedata
from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradeboard.trades.rules import words

SMALL = str.maketrans("ぁぃぅぇぉっゃゅょ", "あいうえおつやゆよ")
VOWELS = {
    "あ": "あかさたなはまやらわ",
    "い": "いきしちにひみり",
    "う": "うくすつぬふむゆる",
    "え": "えけせてねへめれ",
    "お": "おこそとのほもよろ",
}
# What lengthens the vowel before it: えい and おう are spoken long as well.
LONG = {"あ": "あ", "い": "い", "う": "う", "え": "えい", "お": "おう"}

JA = words.word_list("ja")
EN = words.word_list("en")


def plain(kana):
    """Take the voicing marks and small kana away."""
    unvoiced = re.sub("[\u3099\u309a]", "", unicodedata.normalize("NFD", kana))
    return unvoiced.translate(SMALL)


def morae(word):
    return re.findall("[ぁ-ん][ぁぃぅぇぉゃゅょ]?", word)


def vowel(kana):
    # っ and ん have none.
    found = (v for v, kanas in VOWELS.items() if plain(kana) in kanas)
    return None if kana in "っん" else next(found)


def distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def too_close(heard, least):
    """Find the pairs with fewer than `least` slips between them.

    Two such words have a shortening by fewer than `least` sounds in common.
    """
    alike = defaultdict(set)
    for word, sounds in heard.items():
        for kept in range(len(sounds) - least + 1, len(sounds) + 1):
            for shortened in combinations(sounds, kept):
                alike[shortened].add(word)
    pairs = {p for same in alike.values() for p in combinations(sorted(same), 2)}
    return [p for p in pairs if distance(*map(heard.get, p)) < least]


def test_the_measure_itself_finds_what_is_too_close():
    assert too_close({"ab": ("a", "b"), "b": ("b",), "cd": ("c", "d")}, 2) == [
        ("ab", "b")
    ]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_list_has_512_words_sorted_one_to_a_line(language):
    lines = (words._FILES / f"words_{language}.txt").read_bytes().decode()

    assert len(set(words.word_list(language))) == 512
    assert lines == "\n".join(sorted(words.word_list(language))) + "\n"


def test_a_japanese_word_has_three_or_four_morae_in_hiragana():
    assert [w for w in JA if not re.fullmatch("[ぁ-ん]+", w)] == []
    assert [w for w in JA if "".join(morae(w)) != w] == []
    assert [w for w in JA if len(morae(w)) not in (3, 4)] == []


def test_a_japanese_word_has_one_spelling_by_ear():
    assert [w for w in JA if set(w) & set("ぢづをーゎゐゑ")] == []
    assert [
        w
        for w in JA
        for a, b in zip(w, w[1:], strict=False)
        if b in LONG.get(vowel(a), "")
    ] == []


def test_japanese_words_differ_in_two_morae_whatever_the_voicing():
    heard = {word: tuple(plain(mora) for mora in morae(word)) for word in JA}

    assert too_close(heard, 2) == []
    assert too_close({word: tuple(plain(word)) for word in JA}, 2) == []


def test_an_english_word_has_four_to_eight_letters():
    assert [w for w in EN if not re.fullmatch("[a-z]{4,8}", w)] == []


def test_english_words_are_told_apart_by_four_letters():
    assert [w for w, n in Counter(w[:4] for w in EN).items() if n > 1] == []


def test_english_words_are_three_slips_apart():
    assert too_close({word: tuple(word) for word in EN}, 3) == []


def test_no_english_word_sounds_like_another_or_has_two_spellings():
    # A few of the many that would be chosen without thinking.
    doubles = """bear berry bread carrot cedar cereal cypress flour flower geyser jewel
        knight lynx muscle mussel mustard pair pear pigeon colour color gray grey tyre
        tire plough plow pyjamas pajamas yoghurt yogurt banister racket"""

    assert set(EN) & set(doubles.split()) == set()


def test_no_word_is_a_name_a_place_a_digit_or_a_card_term():
    english = "card china deck daisy dragon duel monster olive spell token trade trap"
    japanese = (
        "いちご かえで かしわ かまくら かるた さくら すみれ でっき とらっぷ ふたつ"
    )

    assert set(EN) & set(english.split()) == set()
    assert set(JA) & set(japanese.split()) == set()


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_folding_changes_a_listed_word(language):
    assert [w for w in words.word_list(language) if words.fold_words(w) != w] == []


@pytest.mark.parametrize(
    ("mac", "first", "second"),
    [
        (b"\x00\x00\x00", 0, 0),
        (b"\xff\xff\xff", 511, 511),
        (b"\x00\x40\x40", 0, 257),
        (b"\x80\x00\x3f" + b"\xff" * 29, 256, 0),
    ],
)
def test_eighteen_bits_choose_two_words(mac, first, second):
    assert words.word_pair(mac, "ja") == (JA[first], JA[second])
    assert words.word_pair(mac, "en") == (EN[first], EN[second])


def test_a_short_mac_chooses_nothing():
    with pytest.raises(ValueError, match="three bytes"):
        words.word_pair(b"\x00\x00", "ja")


@pytest.mark.parametrize(
    "typed",
    [
        "とまと くるま",
        "トマト、クルマ",
        "ﾄﾏﾄ･ｸﾙﾏ",
        "　とまと　　くるま　",
        "とまと,くるま",
        "とまと，くるま",
        "トマト・くるま",
    ],
)
def test_the_same_words_in_any_spelling(typed):
    assert words.same_words(typed, ("とまと", "くるま"))


@pytest.mark.parametrize("typed", ["Tomato WINDOW", "ｔｏｍａｔｏ,window"])
def test_english_words_in_any_case_and_width(typed):
    assert words.same_words(typed, ("tomato", "window"))


@pytest.mark.parametrize(
    "typed",
    ["", "とまと", "くるま とまと", "とまとくるま", "とまと くるま くるま", "\ud800"],
)
def test_other_words_are_not_the_same(typed):
    assert not words.same_words(typed, ("とまと", "くるま"))


@given(st.binary(min_size=3, max_size=32), st.sampled_from(["ja", "en"]))
def test_every_pair_is_recognised(mac, language):
    pair = words.word_pair(mac, language)

    assert words.same_words(" ".join(pair), pair)


@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert words.fold_words(words.fold_words(text)) == words.fold_words(text)
