"""Names, holds, standings and zones, without a database."""

from datetime import timedelta

import pytest

from tests.factories import MONDAY
from tradeboard.accounts.rules import (
    datafiles,
    devices,
    handles,
    holds,
    naming,
    passwords,
    phone,
    zones,
)
from tradeboard.accounts.rules.email import (
    addresses_in,
    check_email,
    folded_domain,
    mailbox_of,
    syntax,
    wording,
)
from tradeboard.accounts.rules.email.operator import DomainVerdict, said_of
from tradeboard.accounts.rules.email.syntax import Refused
from tradeboard.accounts.rules.permissions import STAFF, Act, may
from tradeboard.accounts.rules.scripts import script_of
from tradeboard.accounts.rules.skeletons import skeleton
from tradeboard.accounts.rules.standing import Role, Standing, strongest
from tradeboard.accounts.rules.verdicts import Verdict


def test_the_next_renaming_waits_thirty_days_and_the_first_does_not():
    assert naming.may_rename_from(None) is None
    assert naming.may_rename_from(MONDAY) == MONDAY + timedelta(days=30)


def test_a_hold_lasts_three_days_and_a_number_counts_for_a_year():
    assert holds.held_until(MONDAY) == MONDAY + timedelta(hours=72)
    assert holds.counts_until(MONDAY) == MONDAY + timedelta(days=365)


def test_a_pair_has_one_order():
    assert holds.pair(1, 2) == holds.pair(2, 1) == (1, 2)


def test_the_strongest_cause_wins_in_any_order():
    by_weight = ["good", "held", "listed", "suspended", "closed"]
    for weight, standing in enumerate(by_weight):
        causes = [Standing(each) for each in by_weight[: weight + 1]]
        assert strongest(causes) is strongest(causes[::-1]) is Standing(standing)
    assert strongest([]) is Standing.GOOD


def test_staff_are_who_may_open_the_desk_and_unknown_acts_are_a_mistake():
    assert {Role.MODERATOR, Role.ADMIN} == STAFF
    assert may(Role.ADMIN, "give roles")
    assert not may(Role.MODERATOR, "give roles")
    with pytest.raises(ValueError, match="fly"):
        may(Role.ADMIN, "fly")
    assert all(not may(Role.MEMBER, act) for act in Act)


def test_zones_are_places_by_continent_and_utc():
    assert zones.is_known("Asia/Tokyo")
    assert zones.is_known("UTC")
    assert zones.is_known("America/Argentina/Ushuaia")
    for code in ("", "Japan", "JST", "Etc/GMT+9", "US/Pacific", "Asia/Atlantis"):
        assert not zones.is_known(code)


@pytest.mark.parametrize(
    ("zone", "place"),
    [
        ("Asia/Tokyo", "Tokyo"),
        ("America/New_York", "New York"),
        ("America/Argentina/Buenos_Aires", "Buenos Aires (Argentina)"),
        ("UTC", "UTC"),
        ("America/A/B/C", "C (B, A)"),
    ],
)
def test_a_zone_is_shown_by_its_place(zone, place):
    assert zones.place(zone) == place


def test_every_area_has_its_zones_by_the_alphabet_of_their_places():
    found = {str(words): pairs for words, pairs in zones.by_area()}

    assert [str(words) for words in zones.AREAS.values()] == list(found)
    assert ("Asia/Tokyo", "Tokyo") in found["アジア"]
    assert ("America/New_York", "New York") in found["南北アメリカ"]
    every = [zone for pairs in found.values() for zone, _ in pairs]
    assert sorted([*every, "UTC"]) == sorted(zones.known())
    for pairs in found.values():
        shown = [place for _, place in pairs]
        assert shown == sorted(shown)


def test_scripts_are_read_from_the_names_of_signs():
    known = {"a": "Latin", "я": "Cyrillic", "α": "Greek", "あ": "Kana", "竜": "Han"}
    known |= {"ア": "Kana", "한": "Hangul", "ก": "Thai", "〱": "Kana", "〻": "Han"}
    known |= {"1": None, "!": None, "\u0301": None, "ㄅ": "Bopomofo"}

    assert {sign: script_of(sign) for sign in known} == known
    assert script_of("א") == "HEBREW"


def written(folder, data):
    path = folder / "list.txt"
    path.write_bytes(data)
    return path


def test_a_list_has_an_entry_a_line_and_remarks(tmp_path):
    path = written(tmp_path, b"# all\na.example\nb.example  # why\n#\n")

    assert datafiles.read(path, datafiles.SHAPES["relay_domains"]) == [
        "a.example",
        "b.example",
    ]
    assert datafiles.read(written(tmp_path, b""), datafiles.SHAPES["role_locals"]) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\n", "not UTF-8"),
        (b"a.example", "the last line has no end"),
        (b"a.example\n\n", "line 2: not an entry: ''"),
        (b"a.example\n no.example\n", "line 2: not an entry: ' no.example'"),
        (b"a.example\nA.example\n", "line 2: not an entry: 'A.example'"),
        (b"  # indented\n", "line 1: not an entry: '  # indented'"),
        (b"a.example \n", "line 1: not an entry: 'a.example '"),
        (b"a.example\na.example\n", "line 2: twice: 'a.example'"),
        (b"b.example\na.example\n", "line 2: not sorted: 'a.example'"),
    ],
)
def test_a_line_that_would_be_misread_is_named(tmp_path, data, said):
    path = written(tmp_path, data)

    with pytest.raises(datafiles.BadDataFile) as refused:
        datafiles.read(path, datafiles.SHAPES["relay_domains"])

    assert str(refused.value).startswith(str(path))
    assert said in str(refused.value)


def test_a_look_alike_stands_once_on_the_left(tmp_path):
    shape = datafiles.SHAPES["lookalikes"]

    assert datafiles.read(written(tmp_path, b"0\to\n1\to\n"), shape) == ["0\to", "1\to"]
    with pytest.raises(datafiles.BadDataFile, match="twice"):
        datafiles.read(written(tmp_path, b"0\to\n0\tO\n"), shape)


@pytest.fixture
def operator(tmp_path):
    """Return a folder of the operator, used by nobody afterwards."""
    yield tmp_path
    datafiles.use_folder(None)


def test_an_operators_lines_are_added_to_ours(operator):
    ours = datafiles.lines("relay_domains")
    forgotten = []
    datafiles.forget_with(lambda: forgotten.append(datafiles.lines("relay_domains")))
    (operator / "relay_domains.txt").write_text("relay.example\n")

    datafiles.use_folder(operator)

    assert datafiles.lines("relay_domains") == ours | {"relay.example"}
    assert datafiles.lines("role_locals")
    assert forgotten == [ours | {"relay.example"}]
    datafiles.use_folder(None)
    assert datafiles.lines("relay_domains") == ours


def test_a_wrong_line_of_an_operator_changes_nothing(operator):
    ours = datafiles.lines("lookalikes")
    left = min(ours).partition("\t")[0]
    (operator / "lookalikes.txt").write_text(f"{left}\tq\n")

    with pytest.raises(datafiles.BadDataFile, match=r"^lookalikes.txt: the operator"):
        datafiles.use_folder(operator)

    assert datafiles.lines("lookalikes") == ours


def test_a_domain_lies_below_its_parents():
    assert datafiles.parents("a.b.example") == ["a.b.example", "b.example"]
    assert datafiles.parents("example") == []


def sign(body):
    """Sign as no key does: the same for the same text."""
    return body.encode()[::-1] + bytes(16)


def test_a_cookie_has_whole_bits_a_day_and_a_key_id():
    whole = devices.build_cookie(bytes(16), 0, "k", sign)

    assert whole.startswith("v1.k.AAAAAAAAAAAAAAAAAAAAAA.0.")
    assert "=" not in whole
    read = devices.read_cookie(whole, {"k": sign}.get)
    assert read == devices.DeviceCookie(bytes(16), 0, "k")
    wrong = [(bytes(15), 0, "k"), (bytes(16), -1, "k"), (bytes(16), 0, "a.b")]
    for parts in wrong:
        with pytest.raises(ValueError, match=r"^a device cookie needs 128 bits, a day"):
            devices.build_cookie(*parts, sign)
    with pytest.raises(ValueError, match=r"^a device code needs 40 bits$"):
        devices.code_from(bytes(4))
    assert devices.code_from(bytes(5)) == "D-0000-0000"
    assert devices.read_cookie(whole, {}.get) is None
    assert devices.read_cookie(f"{whole}x", {"k": sign}.get) is None
    assert devices.read_cookie("x", {"k": sign}.get) is None


def test_a_cookie_is_signed_again_after_thirty_days():
    made = devices.DeviceCookie(bytes(16), 100, "k")

    assert not devices.needs_new_signature(made, 130)
    assert devices.needs_new_signature(made, 131)


def test_a_code_is_read_up_to_forty_signs():
    assert devices.parse_code("7f3k9qxm" + " " * 32) == "D-7F3K-9QXM"
    assert devices.parse_code("7f3k9qxm" + " " * 33) is None
    assert devices.parse_code("d7f3k9qxm") == "D-7F3K-9QXM"
    assert devices.parse_code("x7f3k9qxm") is None
    assert devices.parse_code("oil0oil1") == "D-0110-0111"


def test_a_mailbox_is_known_by_its_canonical_form():
    assert mailbox_of("Ta.Ro@GoogleMail.com") == "taro@gmail.com"
    assert mailbox_of("taro@example.jp") == "taro@example.jp"
    assert mailbox_of("taro") is None


def test_a_domain_is_folded_with_or_without_an_address():
    assert folded_domain(" Ｇmail。COM\u3000") == "gmail.com"
    assert folded_domain("a@b@例え.jp") == "xn--r8jz45g.jp"
    with pytest.raises(Refused):
        folded_domain("com")


def test_the_most_specific_line_of_an_operator_counts():
    said = {"b.example": DomainVerdict.RELAY, "a.b.example": DomainVerdict.ALLOW}

    assert said_of("x.a.b.example", said) is DomainVerdict.ALLOW
    assert said_of("b.example", said) is DomainVerdict.RELAY
    assert said_of("c.example", said) is None


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ("a" * 310 + "@example.jp", "syntax.length", "320文字"),
        ("a" * 65 + "@example.jp", "syntax", "＠の前が64文字"),
        ("taro@exаmple.jp", "domain.script", "「а」（U+0430）"),
        ("taro@аxxx.jp", "domain.script", "「а」（U+0430）"),
        ("taro@αя.jp", "domain.script", "「я」（U+044F）"),
        ("tarö@example.jp", "local.nonascii", "「ö」（U+00F6）"),
        ("taro example.jp", "syntax.at", "＠がありません"),
        ("a@b@example.jp", "syntax.at", "2つ以上"),
        ("ta ro@example.jp", "syntax", "空白"),
        ("@example.jp", "syntax", "＠の前がありません"),
        ("taro@", "syntax", "＠の後がありません"),
        ("taro@example", "syntax", "「.」がありません"),
        (".taro@example.jp", "syntax", "先頭か末尾"),
        ("taro.@example.jp", "syntax", "先頭か末尾"),
        ("taro@exa　mple.jp", "syntax", "空白"),
        ("taro@example..jp", "syntax", "続いています"),
        ("taro@exa_mple.jp", "syntax", "使えない文字"),
        ("taro@[127.0.0.1]", "domain.literal", "番号です"),
        ('"taro"@example.jp', "syntax.quoted", "引用符"),
        ("taro@example.test", "domain.special", "特別な名前"),
        ("a@taro.fastmail.com", "subaddress.fastmail_subdomain", "taro@fastmail.com"),
    ],
)
def test_a_refused_address_shows_what_is_meant(typed, code, said):
    answer = check_email(typed)

    assert answer.code == code
    assert said in str(answer.message)
    assert answer.verdict is Verdict.REFUSE
    assert (answer.key, answer.wire, answer.email) == (None, None, typed)


def test_lengths_are_counted_to_the_last_sign():
    local = "a" * 64

    assert check_email(f"{local}@example.jp").verdict is Verdict.ACCEPT
    assert check_email("a@example.jp" + " " * 308).verdict is Verdict.ACCEPT
    assert check_email("a@example.jp" + " " * 309).code == "syntax.length"
    assert "64" in str(wording.long_local(64))
    assert "320" in str(wording.too_long(320))


def test_a_suggestion_for_a_plus_is_the_address_before_it():
    assert "「taro@example.jp」" in str(check_email("taro+x@example.jp").message)
    assert "本アドレスを" in str(check_email("+x@example.jp").message)
    assert "「taro@example.jp」" in str(check_email("taro+x+y@example.jp").message)
    said = {"example.jp": DomainVerdict.ALLOW}
    assert "「taro@" in str(check_email("taro+x@example.jp", said).message)


def test_dots_of_old_are_quoted_on_the_wire():
    old = syntax.read('"a..b."@docomo.ne.jp')

    assert old.local == "a..b."
    assert old.wire == '"a..b."@docomo.ne.jp'
    assert syntax.read("a..b.@docomo.ne.jp").wire == '"a..b."@docomo.ne.jp'
    assert syntax.read("a.b@docomo.ne.jp").wire == "a.b@docomo.ne.jp"
    with pytest.raises(Refused):
        syntax.read('"ab"@docomo.ne.jp')
    dots = [syntax.has_legacy_dots(local) for local in ("a..b", ".a", "a.", "a.b")]
    assert dots == [True, True, True, False]


def test_addresses_in_a_text_come_once_and_in_order():
    text = "b@example.jp、a[at]example[dot]jp、ｂ＠example.jp"

    assert addresses_in(text) == ["b@example.jp", "a@example.jp"]
    assert addresses_in("Write to...taro@gmail.com.") == ["taro@gmail.com"]
    assert addresses_in("to..me.at..taro@gmail.com") == ["taro@gmail.com"]
    assert addresses_in(".taro@gmail.com") == ["taro@gmail.com"]
    assert addresses_in("taro.@gmail.com") == ["taro.@gmail.com"]
    assert addresses_in("a..b@docomo.ne.jp") == ["a..b@docomo.ne.jp"]
    assert addresses_in("taro@gmail.com。つぎ") == ["taro@gmail.com"]
    assert addresses_in("taro@gmail。com") == ["taro@gmail.com"]
    assert addresses_in("''taro@gmail.com") == ["taro@gmail.com"]
    assert addresses_in("=@gmail.com @gmail.com") == []
    assert addresses_in("taro (アットマーク) gmail (ドット) com") == ["taro@gmail.com"]


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("a", "length"),
        ("ab", "ok"),
        ("a" * 20, "ok"),
        ("a" * 21, "length"),
        ("a\u200bb", "chars.invisible"),
        ("a!b", "chars.symbol"),
        ("\u0301ab", "chars.symbol"),
        ("a1\u0301b", "chars.symbol"),
        ("a\u0301\u0301\u0301\u0301", "chars.symbol"),
        ("12", "needs_letter"),
        ("aя", "script.mixed"),
        ("אב", "script.unsupported"),
        ("D-7F3K-9QXM", "reserved"),
        ("admin", "reserved"),
    ],
)
def test_a_handle_is_refused_by_its_first_failure(typed, code):
    answer = handles.check_handle(typed)

    assert (answer.code, answer.shown) == (code, handles.tidied(typed))
    assert (answer.message is None) == (code == "ok")
    assert (answer.skeleton is None) == (code != "ok")
    assert (answer.verdict is Verdict.ACCEPT) == (code == "ok")


def test_a_handle_is_tidied_and_says_which_sign_is_no_sign_for_it():
    assert handles.tidied(" \u3000a\u3000  b\t ") == "a b"
    assert handles.tidied("a\n") == "a\n"
    assert handles.tidied("XaX") == "XaX"
    assert handles.tidied("\ufe0f a \ufe0f") == "a"
    assert "「!」" in str(handles.check_handle("a!b").message)
    assert "2〜20文字" in str(handles.check_handle("a").message)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Corn", "com"),
        ("vvill", "will"),
        ("É́ric", "eric"),
        ("ドラゴン", "どらごん"),
        ("らーめん", "ら一めん"),
        ("らーーめん", "ら-めん"),
        ("きゃ", "きや"),
        ("ァ", "あ"),
        ("a-b_c d", "abcd"),
        ("0ne", "one"),
        ("かrnな", "かmな"),
        ("かvvな", "かwな"),
        ("éöü", "eou"),
    ],
)
def test_what_reads_the_same_has_one_skeleton(one, other):
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("一番", "番"), ("が", "か"), ("あ-a", "あーa"), ("竜", "虎")],
)
def test_what_reads_otherwise_has_not(one, other):
    assert skeleton(one) != skeleton(other)


def test_a_password_is_measured_in_signs_and_bytes():
    fine = "竜の剣と虎の盾と狐の面"
    assert "12文字以上" in str(passwords.check_password(fine))
    assert passwords.check_password(fine + "箱") is None
    parts = "".join(chr(0x4E00 + n) for n in range(341))
    assert passwords.check_password(parts + "a") is None
    assert "1024バイト" in str(passwords.check_password(parts + "ab"))
    assert "読み取れない" in str(passwords.check_password("\ud800" * 12))


def test_a_password_is_more_than_half_of_its_own():
    def mostly(password, **known):
        return "ハンドル" in str(passwords.check_password(password, **known))

    assert mostly("taroxx-qtarotaro", handle="taro")
    assert mostly("tradeboardqw12zx")
    assert mostly("Tradeboardtradeb")
    assert mostly("taro@a.jpx9q2w7z", email="taro@a.jp")
    assert mostly("hanakox7hanako99", email="hanako@example.jp")
    assert not mostly("hanakox7q9w2z4v8", email="hanako@example.jp")
    assert mostly("hanako7x9q2w", handle="hanako")
    assert mostly("azqb12345xyqwe", handle="zq", email="azqb12345@a.jp")
    assert not mostly("hanako7x9q2wz", handle="hanako")


def test_a_number_is_shown_as_it_is_dialled_and_masked():
    assert phone.display("+819012345678") == "090-1234-5678"
    assert phone.display("+81312345678", "12") == "03-1234-5678 内線12"
    assert phone.display("+12025550123", "12") == "+1 202-555-0123 ext. 12"
    assert phone.masked("+819012345678") == "090-****-**78"
    assert phone.masked("+12025550123") == "+1 ***-***-**23"
    assert phone.is_japanese("+8190")
    assert not phone.is_japanese("+1202")


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("0" * 41, "length"),
        ("090-1111-2222" + " " * 27, "mobile"),
        ("090x", "chars"),
        ("1", "parse"),
        ("090-1", "invalid"),
        ("0120-123-456", "type.toll_free"),
        ("+800 1234 5678", "type.nongeo"),
        ("090-1111-2222 内線3", "ext_on_mobile"),
        ("050-1234-5679", "voip"),
        ("090-1234-5678", "dummy"),
        ("090-1111-1111", "dummy"),
        ("tel: 03-3333-4444 x12", "fixed_line"),
        ("184-090-1111-2222", "mobile"),
        ("090\u2e3a1111\u058a2222\u0007", "mobile"),
        ("(186) 090-1111-2222", "mobile"),
    ],
)
def test_a_number_gets_its_answer(typed, code):
    answer = phone.check_phone(typed)

    verdict = Verdict.REFUSE
    if code in ("mobile", "fixed_line"):
        verdict = Verdict.ACCEPT
    elif code in ("voip", "dummy"):
        verdict = Verdict.REVIEW
    assert (answer.code, answer.verdict) == (code, verdict)
    assert (answer.message is None) == (verdict is Verdict.ACCEPT)
    assert (answer.key is None) == (verdict is Verdict.REFUSE)
    assert answer.extension == ("12" if "x12" in typed else None)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0" * 41, "40文字以内"),
        ("090x", "数字とハイフン"),
        ("1", "読み取れません"),
        ("090-1", "桁数"),
        ("0120-123-456", "この種類"),
        ("090-1111-2222 内線3", "内線番号を除いて"),
    ],
)
def test_a_refused_number_says_why(typed, said):
    assert said in str(phone.check_phone(typed).message)


def test_endless_marks_are_cut_after_eight():
    def marked(number):
        return skeleton("あ" + "\u0327" * number)

    assert [marked(8) == marked(n) for n in (7, 9, 99)] == [False, True, True]
    twice = "あ" + "\u0327" * 5
    assert len(skeleton(twice + twice)) == 12
