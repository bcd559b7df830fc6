"""Every right answer that the rules give is the answer of the pages, too.

Each test sends all vectors of a file and names all that came out wrong at once.
"""

import json
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from tests import pages
from tests.conftest import start_empty
from tests.factories import PASSWORD
from tests.trades import rooms
from tradeboard.accounts.models import Account, Handle
from tradeboard.accounts.services import registration
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.core.throttle import ThrottleBucket
from tradeboard.core.transaction import transaction
from tradeboard.terms import services as terms
from tradeboard.trades.models import PhoneSide

VECTORS = Path(__file__).parents[1] / "vectors"
HOME = "〒100-0001 東京都千代田区一番 アリス"

# What a refusal of each code must say; a longer code wins over its beginning.
SAYS = {
    "email": {
        "subaddress.plus": "＋の付いたサブアドレスは登録できません",
        "subaddress.yahoo": "セーフティーアドレスは登録できません",
        "subaddress.fastmail_subdomain": "別名のアドレスです",
        "relay": "転送用アドレスは登録できません",
        "disposable": "使い捨て",
        "role": "窓口用",
        "local.nonascii": "半角英数字",
        "domain.script": "紛らわしい文字",
        "syntax": "アドレス",
        "domain": "アドレス",
    },
    "phone": {
        "length": "40文字以内",
        "chars": "数字とハイフンだけで、番号は1つ",
        "parse": "読み取れませんでした",
        "invalid": "桁数を確認してください",
        "type": "この種類の番号では通話を確認できません",
        "ext_on_mobile": "内線番号は付けられません",
    },
    "handle": {
        "chars.invisible": "見えない文字",
        "chars.symbol": "は使えません",
        "length": "2〜20文字",
        "script.unsupported": "この文字はハンドルに使えません",
        "script.mixed": "1つのハンドルで混ぜられません",
        "needs_letter": "文字を1つ以上",
        "reserved": "紛らわしいため使えません",
    },
}
EMPTY = {"email": "メールアドレスを入力", "phone": "電話番号を入れて"}


@pytest.fixture
def register(app):
    """Return how somebody registers, each from a line of the own."""
    with transaction():
        terms.publish_packaged(clock.now())
    lines = (f"198.51.{n // 250}.{n % 250 + 1}" for n in count())

    def register(handle, email):
        client = app.test_client()
        client.environ_base["REMOTE_ADDR"] = next(lines)
        fields = {"handle": handle, "email": email, "password": PASSWORD}
        return pages.submit(client, "/register", "/register", **fields)

    return register


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def expected(kind, code, typed):
    """Return what a refusal says beside its field."""
    if not typed.strip():
        return EMPTY[kind]
    found = [start for start in SAYS[kind] if code.startswith(start)]
    return SAYS[kind][max(found, key=len)]


def beside(html, field):
    """Return what is said below a field, or nothing."""
    _, found, after = html.partition(f'id="{field}-err"')
    return pages.text("<p " + after.partition("</p>")[0]) if found else ""


def wrong_refusal(kind, field, case, answer, action, typed):
    """Return what is wrong with the page that refused something, or None."""
    if answer.status_code != 422:
        return f"{case['input']!r}: {answer.status_code} instead of 422"
    said = beside(answer.text, field)
    if expected(kind, case["code"], case["input"]) not in said:
        return f"{case['input']!r}: {case['code']} says {said!r}"
    kept = pages.form_fields(answer.text, action)
    lost = {name for name, value in typed.items() if kept.get(name) != value}
    if lost:
        return f"{case['input']!r}: lost {sorted(lost)}"
    if PASSWORD in answer.text:
        return f"{case['input']!r}: the password is in the page"
    return None


def account_of(handle):
    db.session.rollback()
    return db.session.scalar(select(Account).where(Account.handle == handle))


def name_of(number):
    """Return a handle that no other number has."""
    letters = "abcdefghkmopqrst"
    return f"tester{letters[number // 16]}{letters[number % 16]}"


def wrong_account(case, account):
    """Return what is wrong with the account that an address was registered for."""
    if account is None:
        return f"{case['input']!r}: no account"
    kid = keyring.ring().kid("email")
    found = (account.email, account.email_key, account.email_kid)
    right = (
        case["input"].strip(" \t\u3000"),
        keyring.mac_hex("email", case["key"], kid),
        kid,
    )
    if found != right:
        return f"{case['input']!r}: {found} instead of {right}"
    if wrong := wrong_wire(account.email_wire):
        return f"{case['input']!r}: on the wire {account.email_wire!r}: {wrong}"
    return None


def wrong_wire(wire):
    """Return what keeps an address from going onto the wire, or nothing."""
    local, _, domain = wire.rpartition("@")
    dotted = ".." in local or local.strip('"')[0] == "." or local.strip('"')[-1] == "."
    if not wire.isascii():
        return "not ASCII"
    if domain != domain.lower():
        return "the domain is not lower-case"
    if (local[0] == '"') is not dotted:
        return "quoted without need, or not quoted in need"
    return None


def test_every_address_is_registered_or_refused_as_its_vector_says(app, register):
    wrong = []
    for number, case in enumerate(vectors("email")):
        handle = name_of(number)
        answer = register(handle, case["input"])
        if case["verdict"] == "refuse":
            typed = {"handle": handle, "email": case["input"]}
            wrong += [
                wrong_refusal("email", "email", case, answer, "/register", typed),
                account_of(handle) and f"{case['input']!r}: made an account",
            ]
        elif answer.status_code != 303:
            wrong.append(f"{case['input']!r}: {answer.status_code} instead of 303")
        else:
            wrong.append(wrong_account(case, account_of(handle)))

    assert [one for one in wrong if one] == []


def test_the_case_of_a_local_part_stays_and_its_domain_is_spelled_for_the_wire(
    app, register
):
    typed = "　Taro.Yamada＠ＤＯＣＯＭＯ．ne．jp "
    register("tester", typed)
    account = account_of("tester")

    assert account.email == "Taro.Yamada＠ＤＯＣＯＭＯ．ne．jp"
    assert account.email_wire == "Taro.Yamada@docomo.ne.jp"
    assert account.email_login == "taro.yamada@docomo.ne.jp"


def wrong_handle(case, answer):
    """Return what is wrong with what became of a single handle, or None."""
    typed = case["input"]
    if case["verdict"] == "refuse":
        fields = {"handle": typed, "email": "somebody@example.com"}
        return wrong_refusal("handle", "handle", case, answer, "/register", fields)
    account = account_of(typed)
    if answer.status_code != 303 or account is None:
        return f"{typed!r}: {answer.status_code}"
    return None


def wrong_pair(case, answers):
    """Return what is wrong with what became of two handles, or None."""
    db.session.rollback()
    read = set(db.session.scalars(select(Handle.skeleton)))
    found = [answer.status_code for answer in answers], len(read)
    if case["relation"] == "different":
        return None if found == ([303, 303], 2) else f"{case}: {found}"
    if found != ([303, 422], 1):
        return f"{case}: {found}"
    said = beside(answers[1].text, "handle")
    kept = pages.form_fields(answers[1].text, "/register")["handle"]
    right = (str(registration.TAKEN), case["b"])
    return None if (said, kept) == right else f"{case}: {said} {kept}"


def test_every_handle_is_free_taken_or_refused_as_its_vector_says(app, register):
    wrong = []
    for case in vectors("handle"):
        db.session.remove()
        start_empty(app)
        if "relation" in case:
            first = register(case["a"], "one@example.com")
            second = register(case["b"], "other@example.com")
            wrong.append(wrong_pair(case, [first, second]))
        else:
            answer = register(case["input"], "somebody@example.com")
            wrong.append(wrong_handle(case, answer))

    assert [one for one in wrong if one] == []


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\u2028", "\u0085", "\t"])
def test_no_form_tidies_away_what_the_rules_refuse(register, blank):
    answer = register(f"ke{blank}n", "somebody@example.com")

    assert answer.status_code == 422
    assert SAYS["handle"]["chars.invisible"] in beside(answer.text, "handle")
    assert pages.form_fields(answer.text, "/register")["handle"] == f"ke{blank}n"


def own_hash(trade_id, account):
    """Return the keyed hash of the number that somebody put under seal."""
    db.session.rollback()
    side = db.session.scalar(
        select(PhoneSide).filter_by(trade_id=trade_id, account_id=account.id)
    )
    return side.number_hash


def wrong_number(case, answer, before, after, action, typed):
    """Return what is wrong with what became of a number, or None."""
    if case["verdict"] == "refuse":
        if after != before:
            return f"{case['input']!r}: was kept"
        return wrong_refusal("phone", "number", case, answer, action, typed)
    if answer.status_code != 303:
        return (
            f"{case['input']!r}: {answer.status_code} {beside(answer.text, 'number')}"
        )
    right = keyring.mac_hex("phone", case["key"])
    return None if after == right else f"{case['input']!r}: another key"


def forget_tries():
    """Let there be no limit on how often a number is sealed."""
    with transaction():
        db.session.execute(delete(ThrottleBucket))


def test_every_number_is_sealed_or_refused_as_its_vector_says(alice, bob, log_in):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    rooms.accept(hers, trade_id)
    page, action = f"/trades/{trade_id}/call?change=1", f"/trades/{trade_id}/call/seal"
    wrong = []
    for case in vectors("phone"):
        before = own_hash(trade_id, alice)
        typed = {"number": case["input"], "region": case["region"], "address": HOME}
        forget_tries()

        answer = pages.submit(hers, page, action, **typed)

        after = own_hash(trade_id, alice)
        wrong.append(wrong_number(case, answer, before, after, action, typed))

    assert [one for one in wrong if one] == []
