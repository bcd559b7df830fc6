"""What people paste and upload, and what is understood of it."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradeboard.cards.rules import decks, files, limits, lines, merging, plain, sheet
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.merging import Mode
from tradeboard.core import sheets
from tradeboard.core.errors import RuleBroken

WRITTEN = {
    "2x 竜の名前 [ABC-001] (Rare)": CardLine("竜の名前", 2, "ABC-001", "Rare"),
    "名前 ×3": CardLine("名前", 3),
    "・蒼天の竜王": CardLine("蒼天の竜王"),
    "- 3 Golden Tomb": CardLine("Golden Tomb", 3),
    "1. 凪の帆船": CardLine("凪の帆船"),
    "①凪の帆船": CardLine("凪の帆船"),
    "[ ] 凪の帆船 ×2": CardLine("凪の帆船", 2),
    "２ｘ　ﾘｻﾞｰﾄﾞ　［ａｂｃ－００１］": CardLine("リザード", 2, "ABC-001"),
    "五尾の狐火　３枚": CardLine("五尾の狐火", 3),
    "五尾の狐火3枚": CardLine("五尾の狐火", 3),
    "蒼天の竜王\tTB01-001\t2\tシークレット": CardLine(
        "蒼天の竜王", 2, "TB01-001", "シークレット"
    ),
    "3\t蒼天の竜王": CardLine("蒼天の竜王", 3),
    "【TB01-001】蒼天の竜王": CardLine("蒼天の竜王", 1, "TB01-001"),
    "[TB01-001] 蒼天の竜王 x2": CardLine("蒼天の竜王", 2, "TB01-001"),
    "蒼天の竜王 TB01-001": CardLine("蒼天の竜王", 1, "TB01-001"),
    "4 Lightning Bird (M11) 149": CardLine("Lightning Bird", 4, "M11 149"),
    "蒼天の竜王 (英語) (状態B) x2": CardLine(
        "蒼天の竜王", 2, language="en", condition="B"
    ),
    "竜 (NM)": CardLine("竜", condition="A"),
    "3 Wise Men ×2": CardLine("3 Wise Men", 2),
    "7つの海": CardLine("7つの海"),
    "竜 (Foil) (Rare)": CardLine("竜 (Foil)", rarity="Rare"),
    "Dragon x 2": CardLine("Dragon", 2),
    "Phoenix": CardLine("Phoenix"),
}
REMARKS = ("# 交換用", "// wants", "Sideboard", "メインデッキ：", "Main Deck (40)")
TOO_MUCH = ("0x 竜", "1000x 竜", "竜" * 81, "× 3", "[ABC-001]×2")


@pytest.mark.parametrize("typed", WRITTEN)
def test_a_line_is_understood(typed):
    (read,) = plain.read(typed).lines

    assert read.card == WRITTEN[typed]


def test_headings_are_passed_over_and_what_is_no_card_is_said():
    reading = plain.read("\n".join((*REMARKS, "", *TOO_MUCH)))

    assert [read.typed for read in reading.passed] == list(REMARKS)
    assert [read.typed for read in reading.problems] == list(TOO_MUCH)
    assert reading.left() == "\n".join(TOO_MUCH)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_a_reader_and_none_of_it_is_lost(text):
    for read in (plain.read, sheet.read, lambda text: decks.read(text, {})):
        reading = read(text)
        typed = "\n".join([reading.header, *(read.typed for read in reading.lines)])

        assert (
            all(
                sign in typed
                for sign in text
                if sign.isprintable() and not sign.isspace()
            )
            or read is sheet.read
        )
        for card in reading.cards:
            assert card.quantity >= 1
            assert card == lines.checked(card) or card.quantity > limits.MOST_COPIES


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_file_is_text_or_refused(data):
    with suppress(RuleBroken):
        assert "\0" not in files.decode(data)


NAMES = st.text(
    st.sampled_from("竜騎士リザードー星のdragonKing-'=+@,;\"&"), min_size=1, max_size=12
)
WORDS = st.text(st.sampled_from("レアSR'=+-@,\" "), max_size=6)
CARDS = st.builds(
    CardLine,
    name=NAMES.map(lines.tidy),
    quantity=st.integers(1, limits.MOST_COPIES),
    set_code=st.sampled_from(["", "TB01-001", "ABC-JP004", "M11 149", "-1", "'=A"]),
    rarity=WORDS.map(lines.tidy),
    language=st.sampled_from(["", "ja", "en", "other"]),
    condition=st.sampled_from(["", "A", "B", "C", "D"]),
    game=WORDS.map(lines.tidy),
).filter(lambda card: card.key)


@settings(max_examples=40, deadline=None)
@given(st.lists(CARDS, unique_by=lambda card: card.identity, max_size=8))
def test_a_list_goes_out_as_csv_and_comes_back_the_same(cards):
    for language in ("ja", "en"):
        text = files.decode(sheet.write(cards, language).encode())

        reading = files.read(text, files.form_of(text), {})

        assert reading.form == sheet.FORM
        assert reading.cards == cards
        assert reading.problems == []


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            CardLine,
            name=st.text(st.sampled_from("竜騎士の星"), min_size=1, max_size=8),
            quantity=st.integers(1, 99),
            set_code=st.sampled_from(["", "TB01-001", "ABC-JP004"]),
            rarity=st.sampled_from(["", "レア", "Super"]),
            language=st.sampled_from(["", "ja", "en"]),
            condition=st.sampled_from(["", "A", "D"]),
        ),
        unique_by=lambda card: card.identity,
        max_size=8,
    )
)
def test_a_list_written_as_text_reads_as_the_same(cards):
    assert plain.read("\n".join(map(plain.write, cards))).cards == cards


def test_no_cell_is_run_as_a_formula():
    dangerous = [CardLine(name) for name in ("=1+1", "+1", "-1", "@SUM", "'=1", "竜")]

    rows = sheet.write(dangerous).splitlines()[1:]

    assert [row.split(",")[0] for row in rows] == [
        "'=1+1",
        "'+1",
        "'-1",
        "'@SUM",
        "''=1",
        "竜",
    ]
    assert sheets.guard("\tx") == "'\tx"
    assert sheets.guard("\rx") == "'\rx"


def test_a_sheet_is_known_by_its_columns_in_any_order_and_encoding():
    text = "Count,Name,Edition,Condition,Language\n2,Golden Tomb,TB02,NM,English\n"
    text += "1,Foxfire,,Lightly Played,German\n"
    ours = "カード名;枚数\r\n竜;2\r\n;3\r\n虎;二\r\n".encode("cp932")

    english, japanese = (files.decode(data) for data in (text.encode(), ours))

    assert files.read(english, files.form_of(english), {}).cards == [
        CardLine("Golden Tomb", 2, "TB02", condition="A", language="en"),
        CardLine("Foxfire", condition="B", language="other"),
    ]
    read = files.read(japanese, files.form_of(japanese), {})
    assert read.cards == [CardLine("竜", 2)]
    assert [(p.number, p.typed) for p in read.problems] == [(3, ";3"), (4, "虎;二")]
    assert read.left() == "カード名;枚数\n;3\n虎;二"
    assert sheet.read("竜,2\n虎,1").cards == [CardLine("竜", 2), CardLine("虎")]


def test_a_row_that_cannot_be_divided_is_said_with_its_number():
    reading = sheet.read('name,count\n竜,2\n"虎" x,1\n狐,3\n"鳥,4\n魚,5')

    assert reading.cards == [CardLine("竜", 2), CardLine("狐", 3)]
    assert [p.number for p in reading.problems] == [3, 5]
    assert reading.problems[1].typed == '"鳥,4\n魚,5'


def test_a_deck_of_numbers_counts_its_cards_and_uses_the_names_that_are_known():
    deck = "#created by X\n#main\n102380\n00102380\n46986414\n#extra\n!side\nabc\n"

    reading = files.read(deck, files.form_of(deck), {"YDK 46986414": "黒魔導師"})

    assert reading.form == decks.FORM
    assert reading.cards == [
        CardLine("YDK 00102380", 2, "YDK 00102380"),
        CardLine("黒魔導師", 1, "YDK 46986414"),
    ]
    assert [p.typed for p in reading.problems] == ["abc"]


def test_too_much_at_once_is_refused_with_the_limit():
    too_many = "竜\n" * (limits.MOST_READ_LINES + 1)
    for text in (too_many, "竜" * 200_001, "\ufdfa" * 100_000):  # 18 signs each
        with pytest.raises(RuleBroken):
            files.check_size(text)
    with pytest.raises(RuleBroken):
        files.decode(b"a" * (limits.LARGEST_FILE + 1))
    with pytest.raises(RuleBroken):
        files.decode(b"\x81\xff\xfe")


def test_the_same_import_twice_sums_or_changes_nothing_as_was_chosen():
    standing = {c.identity: c for c in (CardLine("竜", 2), CardLine("虎", 1))}
    new = [CardLine("竜", 3), CardLine("狐", 1), CardLine("狐", 1)]

    by_mode = {mode: merging.merge(standing, new, mode) for mode in Mode}

    assert by_mode[Mode.SUM].changed == [CardLine("竜", 5)]
    assert by_mode[Mode.SET].changed == [CardLine("竜", 3)]
    assert by_mode[Mode.WHOLE].dropped == [CardLine("虎", 1)]
    assert all(merged.added == [CardLine("狐", 2)] for merged in by_mode.values())
    again = {c.identity: c for c in (CardLine("竜", 3), CardLine("狐", 2))}
    assert merging.merge(again, new, Mode.SET) == merging.Merged()
    assert merging.merge(again, new, Mode.WHOLE) == merging.Merged()


def test_a_list_has_limits():
    full = {c.identity: c for c in (CardLine(f"c{n}") for n in range(2000))}

    with pytest.raises(RuleBroken, match="2001行"):
        merging.merge(full, [CardLine("竜")], Mode.SET)
    with pytest.raises(RuleBroken, match="1000枚"):
        merging.merge({}, [CardLine("竜", 999), CardLine("竜")], Mode.SUM)
