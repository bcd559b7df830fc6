"""What a key looks like and what it may do, without a database."""

import hashlib
from datetime import timedelta

import pytest

from tests.factories import A_MOMENT, MONDAY
from tradeboard.api import rules
from tradeboard.api.rules import Scope, ShownKey
from tradeboard.core.errors import RuleBroken

ID, SECRET = "0123456789abcdef", "-_" + "aZ0" * 13 + "xy"


def test_a_key_reads_back_as_it_is_shown():
    shown = ShownKey(ID, SECRET)

    assert str(shown) == f"tb_{ID}_{SECRET}"
    assert rules.read_key(str(shown)) == shown
    assert shown.secret_hash == hashlib.sha256(SECRET.encode()).hexdigest()


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"tb_{ID}_{SECRET}\n",
        f" tb_{ID}_{SECRET}",
        f"tb_{ID[1:]}_{SECRET}",
        f"tb_{ID.upper()}_{SECRET}",
        f"tb_{ID}_{SECRET}x",
        f"tb_{ID}_{SECRET[1:]}",
        f"TB_{ID}_{SECRET}",
    ],
)
def test_what_has_not_the_shape_of_a_key_is_none(text):
    assert rules.read_key(text) is None


def test_scopes_come_in_their_order_once():
    assert rules.read_scopes(["feed", "check", "feed"]) == [Scope.CHECK, Scope.FEED]
    assert rules.read_scopes(iter(["bulk"])) == [Scope.BULK]


@pytest.mark.parametrize("names", [[], ["all"], ["check", "all"]])
def test_no_scope_and_unknown_scopes_are_refused(names):
    with pytest.raises(RuleBroken) as refused:
        rules.read_scopes(names)

    assert refused.value.field == "scopes"


def test_a_name_of_a_key_is_tidied_and_has_at_most_sixty_signs():
    assert rules.check_name("  家の \n 鍵 ") == "家の 鍵"
    assert rules.check_name("あ" * 60) == "あ" * 60
    for name, said in ((" ", "名前"), ("あ" * 61, "60字まで")):
        with pytest.raises(RuleBroken, match=said) as refused:
            rules.check_name(name)
        assert refused.value.field == "name"


def test_a_key_ends_after_so_many_days_or_never():
    assert rules.expires_at(90, MONDAY) == MONDAY + timedelta(days=90)
    assert rules.expires_at(0, MONDAY) == MONDAY
    assert rules.expires_at(None, MONDAY) is None


def test_a_key_is_good_until_it_is_revoked_or_ends():
    assert rules.is_good(None, None, MONDAY)
    assert rules.is_good(None, MONDAY + A_MOMENT, MONDAY)
    assert not rules.is_good(None, MONDAY, MONDAY)
    assert not rules.is_good(MONDAY, None, MONDAY)
    assert not rules.is_good(MONDAY, MONDAY + A_MOMENT, MONDAY)
