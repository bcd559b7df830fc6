"""Small rules of lists of cards in full, without a database."""

import pytest

from tradeboard.cards.rules import (
    decks,
    drafting,
    files,
    lines,
    matching,
    merging,
    plain,
    reading,
    sheet,
    words,
)
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.matching import End, Partner
from tradeboard.cards.rules.merging import Mode
from tradeboard.cards.rules.reading import Read, Reading
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import message


def test_a_code_of_condition_is_a_least_one_where_cards_are_wanted():
    assert str(words.conditions(CardSide.HAVE)["B"]) == "B 小さな傷"
    assert str(words.conditions(CardSide.WANT)["B"]) == "B以上"


def test_signs_that_cannot_be_seen_are_dropped_and_spaces_are_single():
    assert lines.tidy("　竜\u200b \tの\n剣\u0000 ") == "竜 の 剣"
    assert lines.tidy("ﾘｻﾞｰﾄﾞ") == "リザード"
    assert lines.tidy_code("ａｂ‐０１ –x") == "AB-01 -X"


@pytest.mark.parametrize(
    ("wrong", "field", "said"),
    [
        ({"name": ""}, "name", "カード名"),
        ({"name": "\u200b"}, "name", "カード名"),
        ({"quantity": 0}, "quantity", "1から999"),
        ({"quantity": 1000}, "quantity", "1から999"),
        ({"name": "竜" * 81}, "name", "80字まで"),
        ({"set_code": "A" * 41}, "set_code", "40字まで"),
        ({"rarity": "A" * 41}, "rarity", "40字まで"),
        ({"game": "A" * 41}, "game", "40字まで"),
        ({"language": "de"}, "language", "ja、en、other"),
        ({"condition": "E"}, "condition", "A、B、C、D"),
    ],
)
def test_a_line_is_refused_by_its_field(wrong, field, said):
    with pytest.raises(RuleBroken, match=said) as refused:
        lines.checked(CardLine(**{"name": "竜"} | wrong))

    assert refused.value.field == field


def test_a_line_at_its_limits_is_fine():
    whole = CardLine("竜" * 80, 999, "A" * 40, "B" * 40, "other", "D", "C" * 40)

    assert lines.checked(whole) is whole
    assert lines.checked(CardLine("竜")) == CardLine("竜")


def test_the_same_card_is_known_by_name_code_rarity_language_and_condition():
    card = CardLine("ドラゴン", 3, "AB-1", "SR", "ja", "A", "遊び")

    assert card.identity == ("どらごん", "AB-1", "SR", "ja", "A")


def test_the_same_card_is_summed_where_it_stood_first():
    cards = [CardLine("竜", 1), CardLine("虎", 2), CardLine("竜", 3, game="遊び")]

    assert reading.summed(cards) == [CardLine("竜", 4), CardLine("虎", 2)]


def test_what_was_read_is_told_apart():
    card, problem, remark = (
        Read(1, "竜", CardLine("竜")),
        Read(2, "?", problem=message("？")),
        Read(3, "# x"),
    )
    read = Reading("text", [card, problem, remark], "head")

    assert (read.cards, read.problems, read.passed) == (
        [CardLine("竜")],
        [problem],
        [remark],
    )
    assert read.left() == "head\n?"
    assert Reading("text", [problem, problem]).left() == "?\n?"
    assert Reading("text", [card], "head").left() == ""


def test_an_import_meets_what_stands_on_the_list():
    def standing(*cards):
        return {card.identity: card for card in cards}

    def changed(before, card, mode):
        return merging.merge(standing(before), [card], mode).changed

    plain, named = CardLine("竜", 2), CardLine("竜", 3, game="遊び")
    assert changed(plain, named, Mode.SUM) == [CardLine("竜", 5, game="遊び")]
    assert changed(named, plain, Mode.SUM) == [CardLine("竜", 5, game="遊び")]
    assert changed(named, plain, Mode.SET) == [CardLine("竜", 2, game="遊び")]
    assert changed(plain, named, Mode.SET) == [named]
    assert changed(named, plain, Mode.WHOLE) == [plain]
    other = CardLine("竜", 3, game="別")
    assert changed(named, other, Mode.SET) == [other]
    assert changed(named, other, Mode.SUM) == [CardLine("竜", 6, game="遊び")]
    kept = merging.merge(standing(plain, CardLine("虎")), [plain], Mode.SUM)
    assert kept.dropped == []


def test_a_card_and_a_list_have_their_most_copies_and_lines():
    full = {c.identity: c for c in (CardLine(f"c{n}") for n in range(2000))}

    assert merging.merge({}, [CardLine("竜", 999)], Mode.SET).added
    with pytest.raises(RuleBroken, match="「竜」が1000枚になります.*999枚まで"):
        merging.merge({}, [CardLine("竜", 1000)], Mode.SET)
    assert merging.merge(full, [], Mode.SET) == merging.Merged()
    assert merging.merge(full, [CardLine("竜")], Mode.WHOLE).added
    with pytest.raises(RuleBroken, match="2000行までです.*2001行"):
        merging.merge(full, [CardLine("竜")], Mode.SUM)


def test_a_draft_holds_what_one_listing_can_hold():
    card = CardLine("竜", 120, "AB-1", "SR", "ja", "A", "遊び")

    draft = drafting.draft_of([card] * 21, [CardLine("虎")] * 21, "13")

    row = {
        "id": "",
        "name": "竜",
        "set_code": "AB-1",
        "rarity": "SR",
        "language": "ja",
        "condition": "A",
        "quantity": "99",
    }
    assert draft["have"] == [row] * 20
    assert [wanted["quantity"] for wanted in draft["want"]] == ["1"] * 20
    del draft["have"], draft["want"]
    assert draft == {
        "game": "遊び",
        "ships_from": "13",
        "ships_to": "domestic",
        "note": "",
    }
    other = CardLine("虎", game="別")
    assert drafting.draft_of([card], [other], "")["game"] == ""
    assert drafting.draft_of([], [other], "")["game"] == "別"
    assert drafting.draft_of([], [], "")["game"] == ""


def test_matches_are_worth_what_goes_all_the_way_round():
    def end(number, copies, partners=0):
        return End(number, f"h{number}", copies, partners)

    partner = Partner(1, "h", gives=3, takes=2, partner_count=0, completed_count=0)
    takers = [end(1, 5), end(2, 1), end(3, 5, 4)]
    givers = [end(4, 5), end(5, 9, 1)]
    between = {(1, 4): 2, (2, 4): 5, (3, 4): 2, (3, 5): 2, (1, 5): 3, (9, 9): 1}

    found = matching.chains(takers, givers, between)

    assert partner.value == 2
    ends = [(chain.taker.id, chain.giver.id, chain.value) for chain in found]
    assert ends == [(1, 5, 3), (3, 5, 2), (3, 4, 2), (1, 4, 2), (2, 4, 1)]
    many = {(taker, 4): 1 for taker in range(10, 17)}
    assert len(matching.chains([end(n, 1) for n in range(10, 17)], givers, many)) == 5


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("#main\n12", "ydk"),
        ("!SIDE", "ydk"),
        ("  12345 \n\n6789012345", "ydk"),
        ("1234\n12345", "text"),
        ("12345678901", "text"),
        ("12345 x", "text"),
        ("#mainly", "text"),
        ("", "text"),
        ("\n\nname,count\n竜,2", "csv"),
        ("カード名\t枚数", "csv"),
        ("枚数;カード名", "csv"),
        ("name", "text"),
        ("枚数,型番", "text"),
        ('"name,count', "text"),
        ("2x 竜", "text"),
    ],
)
def test_a_form_is_known_by_its_looks(text, form):
    assert files.form_of(text) == form


def test_a_form_is_as_was_said_or_named():
    assert files.form_of("#main", "text") == "text"
    assert files.form_of("竜", "csv") == "csv"
    assert files.form_of("#main", "pdf") == "ydk"
    assert files.form_of("竜", filename="My.YDK") == "ydk"
    assert files.form_of("竜", filename="My.CSV") == "csv"
    assert files.form_of("竜", filename="csv") == "text"
    assert files.form_of("#main", filename="a.csv") == "ydk"


def test_a_file_is_read_in_its_encoding():
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp932"):
        assert files.decode("竜とドラゴン".encode(encoding)) == "竜とドラゴン"
    for bom, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        assert files.decode(bom + "竜".encode(encoding)) == "竜"
    for data in (b"a\0b", b"\x81\xff", b"\xff\xfe\x00"):
        with pytest.raises(RuleBroken, match="文字コード") as refused:
            files.decode(data)
        assert refused.value.field == "file"


def test_what_is_too_large_is_refused_with_its_limit():
    assert files.decode(b"a" * 400_000)
    with pytest.raises(RuleBroken, match="400 KBまで") as refused:
        files.decode(b"a" * 400_001)
    assert refused.value.field == "file"
    files.check_size("a" * 200_000)
    files.check_size("竜\n" * 5000)
    files.check_size("\ufdfa" * 22_222)  # each folds into eighteen signs
    for text, said in (
        ("a" * 200_001, "200000字まで"),
        ("\ufdfa" * 22_223 + "\ufdfa", "200000字まで"),
        ("竜\n" * 5001, "5000行まで"),
    ):
        with pytest.raises(RuleBroken, match=said) as refused:
            files.check_size(text)
        assert refused.value.field == "text"


def test_numbers_of_a_deck_are_codes():
    assert decks.code_of("00102380") == "YDK 00102380"
    assert decks.codes_in("#main\n102380\n１２３\nabc\n12345678901") == {
        "YDK 00102380",
        "YDK 00000123",
    }
    known = {"YDK 00102380": "竜"}
    read = decks.read("// x\n!side\n\n102380\n7\n一", known)
    assert read.form == "ydk"
    assert [line.number for line in read.lines] == [1, 2, 4, 5, 6]
    typed = [line.typed for line in read.lines]
    assert typed == ["// x", "!side", "102380", "7", "一"]
    assert [line.card for line in read.lines] == [
        None,
        None,
        CardLine("竜", set_code="YDK 00102380"),
        CardLine("YDK 00000007", set_code="YDK 00000007"),
        None,
    ]
    assert [(p.number, p.typed, str(p.problem)) for p in read.problems] == [
        (6, "一", "カードの番号ではありません。")
    ]


def test_a_sheet_is_written_in_our_order_and_both_languages():
    card = CardLine("竜", 2, "AB-1", "SR", "ja", "A", "遊び")

    ours = sheet.write([card])

    row = "竜,2,AB-1,SR,ja,A,遊び"
    head = "カード名,枚数,型番,レアリティ,言語,状態,ゲーム"
    assert ours == f"\ufeff{head}\r\n{row}\r\n"
    english = "Name,Quantity,Set code,Rarity,Language,Condition,Game"
    assert sheet.write([card], "en") == f"\ufeff{english}\r\n{row}\r\n"


def test_a_sheet_is_read_row_by_row():
    text = "\ufeff\n枚数,名前,name,言語,状態,ゲーム,レア度,型番,？\n"
    text += "２,竜,x,EN,near mint,遊び,ＳＲ,ab‐1,y\n"
    text += ",虎,x,フランス語,b\n , ,\n1.5,鳥\n1234567890,魚\n'3,'=狐\n"

    read = sheet.read(text)

    assert read.form == "csv"
    assert read.header == "枚数,名前,name,言語,状態,ゲーム,レア度,型番,？"
    assert [line.card for line in read.lines] == [
        CardLine("竜", 2, "AB-1", "SR", "en", "A", "遊び"),
        CardLine("虎", 1, language="other", condition="B"),
        None,
        None,
        None,
    ]
    assert [(line.number, line.typed) for line in read.lines] == [
        (3, "２,竜,x,EN,near mint,遊び,ＳＲ,ab‐1,y"),
        (4, ",虎,x,フランス語,b"),
        (6, "1.5,鳥"),
        (7, "1234567890,魚"),
        (8, "'3,'=狐"),
    ]
    assert {str(line.problem) for line in read.problems} == {"枚数が数ではありません。"}


def test_a_sheet_without_names_of_columns_comes_in_our_order():
    read = sheet.read("\n竜\t2\tAB-1\tSR\tja\tA\t遊び\n虎\t999999999")

    assert read.header == ""
    assert read.cards == [CardLine("竜", 2, "AB-1", "SR", "ja", "A", "遊び")]
    assert "1から999" in str(read.problems[0].problem)
    assert sheet.read("").lines == []


def test_a_cell_that_is_not_closed_takes_the_rest_of_the_sheet():
    read = sheet.read('name,count\n"竜\nの剣",2\n虎,1\n"鳥')

    assert read.cards == [CardLine("竜 の剣", 2), CardLine("虎", 1)]
    assert [line.number for line in read.lines] == [2, 4, 5]
    assert read.lines[0].typed == '"竜\nの剣",2'
    assert "引用符" in str(read.problems[0].problem)


@pytest.mark.parametrize(
    ("typed", "card"),
    [
        ("竜 (Rare) (R2)", CardLine("竜 (Rare)", rarity="R2")),
        ("竜 (2)", CardLine("竜", 2)),
        ("竜 (123)", CardLine("竜", 123)),
        ("竜\t[2]", CardLine("竜", 1, "2")),
        ("竜\t[SR]", CardLine("竜", 1, "SR")),
        ("竜\t(2)", CardLine("竜", 2)),
        ("竜 [2]", CardLine("竜", set_code="2")),
        ("竜 (1234)", CardLine("竜", rarity="1234")),
        ("竜 〔en〕 【ab-1】", CardLine("竜", 1, "AB-1", language="en")),
        ("竜 (日本語) (英語)", CardLine("竜 (日本語)", language="en")),
        ("竜 (状態：c)", CardLine("竜", condition="C")),
        ("竜 (Near Mint)", CardLine("竜", condition="A")),
        ("(竜)", CardLine("(竜)")),
        ("竜 (AB-01)", CardLine("竜", 1, "AB-01")),
        ("竜 ()", CardLine("竜 ()")),
        ("2 竜 ×3", CardLine("2 竜", 3)),
        ("[AB-1] [AB-2] 竜", CardLine("[AB-2] 竜", 1, "AB-1")),
        ("竜 AB-1 x3", CardLine("竜", 3, "AB-1")),
        ("2\t竜\tAB-1", CardLine("竜", 2, "AB-1")),
        ("竜\t2\t3", CardLine("竜 3", 2)),
        ("竜\t[AB-1]\ten\t虎\t鳥", CardLine("竜 鳥", 1, "AB-1", "虎", "en")),
        ("竜\t(SR)", CardLine("竜", rarity="SR")),
        ("\t竜\t", CardLine("竜")),
    ],
)
def test_what_stands_beside_a_name_is_understood(typed, card):
    (read,) = plain.read(typed).lines

    assert read.card == card


def test_lines_of_a_text_keep_their_numbers_and_a_card_its_form():
    read = plain.read("竜\n\n \n# x\n0 虎")

    assert read.form == "text"
    assert [(line.number, line.typed) for line in read.lines] == [
        (1, "竜"),
        (4, "# x"),
        (5, "0 虎"),
    ]
    assert "1から999" in str(read.problems[0].problem)
    whole = CardLine("竜", 2, "AB-1", "SR", "ja", "A")
    assert plain.write(whole) == "2x 竜 [AB-1] (SR) (ja) (状態A)"
    assert plain.write(CardLine("竜", language="en")) == "1x 竜 (en)"
    assert plain.write(CardLine("竜", language="other")) == "1x 竜"


def test_a_text_goes_to_the_reader_of_its_form():
    assert files.read("name,count\n竜,2", "csv", {}).form == "csv"
    assert files.read("竜", "text", {}).form == "text"
    read = files.read("7", "ydk", {"YDK 00000007": "竜"})
    assert (read.form, read.cards[0].name) == ("ydk", "竜")


def test_a_short_row_has_no_name_or_one_copy():
    read = sheet.read("枚数,名前,状態\n2\n,竜\n,虎,bx")

    assert read.cards == [CardLine("竜"), CardLine("虎", condition="B")]
    assert "カード名" in str(read.problems[0].problem)
    assert sheet.read("名前,状態\n竜,A").cards == [CardLine("竜", condition="A")]
    assert not sheet.looks_like_one("")
    assert not sheet.looks_like_one('"')
