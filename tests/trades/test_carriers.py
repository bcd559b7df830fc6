import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradeboard.trades.rules import carriers

SAMPLES = [
    ("yamato", "4444-1375-8703"),
    ("sagawa", "5125-4751-4334"),
    ("japanpost", "4055-4842-4886"),
    ("s10", "RB123456785GB"),
    ("usps", "0307 1790 0005 2348 3741"),
    ("ups", "1Z5R89390357567127"),
    ("fedex", "986578788855"),
]
CODES = [carrier.code for carrier in carriers.CARRIERS]


def with_the_check_digit_one_more(number):
    tail = 2 if number.endswith("GB") else 0
    at = len(number) - tail - 1
    return number[:at] + str((int(number[at]) + 1) % 10) + number[at + 1 :]


@pytest.mark.parametrize(("carrier", "number"), SAMPLES)
def test_a_right_check_digit_is_right(carrier, number):
    assert carriers.check(carrier, number) is True


@pytest.mark.parametrize(("carrier", "number"), SAMPLES)
def test_one_more_is_wrong(carrier, number):
    assert carriers.check(carrier, with_the_check_digit_one_more(number)) is False


@pytest.mark.parametrize(
    "typed",
    [
        "４４４４－１３７５－８７０３",
        "　4444 1375 8703　",
        "4444ー1375ー8703",
        "4444‐1375‑8703",
        "4444–1375—8703",
        "4444―1375−8703",
        "4444-1375ｰ8703",
    ],
)
def test_width_dashes_and_spaces_do_not_count(typed):
    assert carriers.normalise(typed) == "444413758703"
    assert carriers.check("yamato", typed) is True


def test_letters_in_any_width_and_case():
    assert carriers.check("s10", "ｒｂ 123 456 785 ｇｂ") is True
    assert carriers.check("ups", "1z5r89390357567127") is True


@pytest.mark.parametrize(
    ("carrier", "number"),
    [
        ("yamato", "4444-1375-870"),
        ("yamato", "RB123456785GB"),
        ("yamato", "٤٤٤٤١٣٧٥٨٧٠٣"),
        ("usps", "1" * 21),
        ("fedex", "1" * 15),
        ("other", "4444-1375-8703"),
        ("none", "4444-1375-8703"),
        ("pigeon", "1"),
    ],
)
def test_what_cannot_be_checked_is_neither_right_nor_wrong(carrier, number):
    assert carriers.check(carrier, number) is None


@pytest.mark.parametrize("length", [11, 12, 13])
def test_registered_letters_divide_by_seven_as_well(length):
    body = "1" * (length - 1)
    right = body + str(int(body) % 7)

    assert carriers.check("japanpost_registered", right) is True
    assert (
        carriers.check("japanpost_registered", with_the_check_digit_one_more(right))
        is False
    )


@pytest.mark.parametrize(("serial", "digit"), [("00000000", 5), ("00000002", 8)])
def test_international_mail_has_its_exceptions(serial, digit):
    assert carriers.check("s10", f"EM{serial}{digit}JP") is True


def test_a_remainder_of_one_gives_zero_in_international_mail():
    # 2 * 9 + 1 * 5 = 23 = 2 * 11 + 1, and 11 - 1 has two digits.
    assert carriers.check("s10", "EM000001200JP") is True


@pytest.mark.parametrize("postcode", ["42090210", "420902101234"])
def test_a_postcode_in_front_of_an_american_number_does_not_count(postcode):
    number = "9400100000000000000013"
    right = [d for d in "0123456789" if carriers.check("usps", number[:-1] + d)]

    assert len(right) == 1
    assert carriers.check("usps", postcode + number[:-1] + right[0]) is True


@pytest.mark.parametrize(
    ("carrier", "typed", "shown"),
    [
        ("yamato", "444413758703", "4444-1375-8703"),
        ("japanpost_registered", "12345678901", "123-45-67890-1"),
        ("s10", "rb123456785gb", "RB 123 456 785 GB"),
        ("usps", "03071790000523483741", "0307 1790 0005 2348 3741"),
        ("usps", "1" * 26, "1111 1111 1111 1111 1111 1111 11"),
        ("ups", "1Z5R89390357567127", "1Z 5R8 939 03 5756 7127"),
        ("fedex", "986578788855", "9865 7878 8855"),
        ("yamato", " 12ー3 ", "12ー3"),
        ("other", " Bike 7 ", "Bike 7"),
    ],
)
def test_a_number_is_shown_as_its_carrier_writes_it(carrier, typed, shown):
    assert carriers.pretty(carrier, typed) == shown


def test_the_carrier_tells_where_a_parcel_is():
    assert carriers.tracking_url("ups", "1z5r8939 0357567127") == (
        "https://www.ups.com/track?tracknum=1Z5R89390357567127"
    )


@pytest.mark.parametrize(
    ("carrier", "number"),
    [("other", "444413758703"), ("yamato", "1&x=2"), ("none", ""), ("pigeon", "1")],
)
def test_there_is_no_link_without_a_number_of_the_right_shape(carrier, number):
    assert carriers.tracking_url(carrier, number) is None


def test_an_operator_may_give_another_tracking_page():
    templates = {"yamato": "https://example.org/{number}"}

    assert (
        carriers.tracking_url("yamato", "444413758703", templates=templates)
        == "https://example.org/444413758703"
    )
    assert "sagawa" in carriers.tracking_url(
        "sagawa", "512547514334", templates=templates
    )


def test_each_carrier_is_there_once_and_complete():
    assert len(set(CODES)) == len(CODES)
    assert "none" not in CODES
    for carrier in carriers.CARRIERS:
        assert str(carrier.name)
        assert (carrier.check is None) == (not carrier.forms)
        assert carrier.tracking is None or "{number}" in carrier.tracking


@given(st.sampled_from([*CODES, "none", ""]), st.text() | st.from_regex("[0-9 -]*"))
def test_whatever_is_typed_raises_nothing(carrier, number):
    assert carriers.check(carrier, number) in (True, False, None)
    assert isinstance(carriers.pretty(carrier, number), str)
    assert carriers.normalise(carriers.pretty(carrier, number)) == carriers.normalise(
        number
    )
    url = carriers.tracking_url(carrier, number)
    assert url is None or url.isascii()


@given(st.sampled_from([c for c in carriers.CARRIERS if c.forms]), st.data())
def test_at_most_one_last_digit_is_right(carrier, data):
    form = data.draw(st.sampled_from(carrier.forms))
    number = data.draw(st.from_regex(form.pattern, fullmatch=True))
    ends = [number[:-1] + digit for digit in "0123456789"]
    right = [end for end in ends if carriers.check(carrier.code, end) is True]

    assert len(right) <= 1 or carrier.code == "s10"
