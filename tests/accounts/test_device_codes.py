import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradeboard.accounts.rules import devices

ID = bytes(range(16))


def sign(text):
    return hmac.digest(b"key", text.encode(), hashlib.sha256)


def sign_with(kid):
    return sign if kid == "k1" else None


@given(st.binary(min_size=5, max_size=32))
def test_a_code_is_read_back_however_it_is_typed(mac):
    code = devices.code_from(mac)
    wide = "".join(chr(ord(c) + 0xFEE0) for c in code)

    for typed in (
        code,
        code.lower(),
        code.replace("-", ""),
        code[2:],
        f" {wide} ",
        code.replace("0", "o").replace("1", "l"),
        code.replace("1", "I").replace("-", "ー"),
    ):
        assert devices.parse_code(typed) == code


def test_a_code_has_forty_bits():
    assert devices.code_from(b"\0" * 5) == "D-0000-0000"
    assert devices.code_from(b"\xff" * 32) == "D-ZZZZ-ZZZZ"
    with pytest.raises(ValueError, match="40 bits"):
        devices.code_from(b"1234")


@pytest.mark.parametrize(
    "typed", ["", "D-7F3K", "D-7F3K-9QXU", "E-7F3K-9QXM", "7F3K-9Qß", "山田", "0" * 41]
)
def test_what_has_another_shape_is_no_code(typed):
    assert devices.parse_code(typed) is None


@given(st.text(max_size=60))
def test_no_text_is_too_strange(text):
    code = devices.parse_code(text)

    assert code is None or devices.parse_code(code) == code
    assert devices.read_cookie(text, sign_with) is None


def test_a_cookie_is_read_as_it_was_built():
    value = devices.build_cookie(ID, 20_000, "k1", sign)

    assert value.startswith("v1.k1.AAECAwQFBgcICQoLDA0ODw.20000.")
    assert devices.read_cookie(value, sign_with) == devices.DeviceCookie(
        ID, 20_000, "k1"
    )


def test_a_changed_cookie_is_nobodys():
    value = devices.build_cookie(ID, 20_000, "k1", sign)
    other_key = devices.build_cookie(ID, 20_000, "k2", sign)

    for position, character in enumerate(value):
        other = "B" if character != "B" else "C"
        changed = value[:position] + other + value[position + 1 :]
        assert devices.read_cookie(changed, sign_with) is None
    assert devices.read_cookie(other_key, sign_with) is None
    assert devices.read_cookie(value + "=", sign_with) is None
    assert devices.read_cookie("v1." * 10_000, sign_with) is None


def test_a_cookie_is_signed_again_after_thirty_days():
    cookie = devices.DeviceCookie(ID, 100, "k1")

    assert not devices.needs_new_signature(cookie, 130)
    assert devices.needs_new_signature(cookie, 131)
