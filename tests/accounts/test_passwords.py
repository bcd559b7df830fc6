import pytest
from hypothesis import given
from hypothesis import strategies as st
from zxcvbn.frequency_lists import FREQUENCY_LISTS

from tradeboard.accounts.rules.passwords import HOW_MANY_COMMON, check_password

GOOD = "correct horse battery"


def test_a_long_password_of_ones_own_is_good():
    assert check_password(GOOD, handle="taro", email="taro@gmail.com") is None
    assert check_password("むかしむかしあるところに") is None
    assert check_password("taro likes green tea", handle="taro") is None


def test_it_counts_as_typed():
    assert check_password("x y z x y z ") is None
    assert "12文字" in str(check_password("short one 1"))


def test_it_is_measured_in_characters_and_in_bytes():
    assert check_password("aZ" * 512) is None
    assert "1024" in str(check_password("aZ" * 512 + "a"))
    assert "1024" in str(check_password("あ" * 342))
    assert check_password("あ" * 341) is None


@pytest.mark.parametrize(
    "password",
    [word for word in FREQUENCY_LISTS["passwords"][:HOW_MANY_COMMON] if len(word) > 11],
)
def test_common_passwords_are_refused(password):
    assert "よく使われ" in str(check_password(password.upper()))


@pytest.mark.parametrize(
    "password",
    [
        "Tradeboard2026",
        "ＴＲＡＤＥＢＯＡＲＤ１２",
        "takahashi-ken",
        "takaken_1998_takaken",
        "my takaken_1998@gmail.com",
        "takahashi-ken@tradeboard",
    ],
)
def test_ones_own_names_are_refused(password):
    found = check_password(
        password, handle="takahashi-KEN", email="takaken_1998@gmail.com"
    )

    assert "ハンドル" in str(found)


def test_a_broken_character_is_refused():
    assert check_password("\ud800" * 12) is not None


@given(st.text(max_size=2_000), st.text(max_size=30), st.text(max_size=30))
def test_no_text_is_too_strange(password, handle, email):
    found = check_password(password, handle=handle, email=email)

    assert found is None or str(found)
