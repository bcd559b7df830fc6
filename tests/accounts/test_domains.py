import pytest
from flask import Flask
from sqlalchemy import select

from tests import pages
from tests.factories import MONDAY, PASSWORD, count, make_account
from tests.listings import boards
from tests.races import race
from tradeboard.accounts import passwords, queries
from tradeboard.accounts.models import Account, DomainRule
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules import datafiles
from tradeboard.accounts.rules.email import DomainVerdict, check_email
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import admin, domains
from tradeboard.app import create_app
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, NotFound, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.trades.services import texts

AWAY, RELAY, ALLOW = (
    DomainVerdict.DISPOSABLE,
    DomainVerdict.RELAY,
    DomainVerdict.ALLOW,
)


@pytest.fixture
def boss(app):
    """He runs the board."""
    return make_account("boss", role=Role.ADMIN)


@pytest.fixture
def desk(boss, log_in):
    """Return his browser."""
    return log_in(boss)


@pytest.fixture
def say(boss):
    """Return how he says something of a domain."""

    def say(domain, verdict=AWAY, reason="届け出", *, by=boss, now=MONDAY):
        with transaction():
            return domains.set_rule(domain, verdict, reason, by=by, now=now).domain

    return say


def code_of(address):
    return check_email(address, queries.operator_rules()).code


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Away.Example.COM", "away.example.com"),
        ("　ａｗａｙ。example．com ", "away.example.com"),
        ("@away.example.com", "away.example.com"),
        ("taro@away.example.com", "away.example.com"),
        ("日本語.jp", "xn--wgv71a119e.jp"),
        ("XN--WGV71A119E.jp", "xn--wgv71a119e.jp"),
    ],
)
def test_a_domain_is_folded_however_it_is_spelt(say, typed, name):
    assert say(typed) == name
    assert queries.operator_rules() == {name: AWAY}


@pytest.mark.parametrize(
    "typed", ["", "com", "a..com", "-a.com", "a b.com", "[1.2.3.4]", "x.test", ".com"]
)
def test_what_is_no_domain_is_refused_in_words(say, typed):
    with pytest.raises(RuleBroken, match="ドメインの形") as refused:
        say(typed)

    assert refused.value.field == "domain"


@pytest.mark.parametrize("reason", ["  ", "x" * 301])
def test_a_reason_is_asked_for_and_has_a_length(say, reason):
    with pytest.raises(RuleBroken) as refused:
        say("away.example.com", reason=reason)

    assert refused.value.field == "reason"


def test_it_hits_all_below_on_the_bounds_of_labels(say):
    say("away.example.com")

    assert code_of("a@away.example.com") == "disposable"
    assert code_of("a@x.y.away.example.com") == "disposable"
    assert code_of("a@notaway.example.com") == "ok"
    assert code_of("a@example.com") == "ok"


def test_it_wins_over_the_lists_that_ship(say):
    assert code_of("a@mailinator.com") == "disposable"
    say("mailinator.com", ALLOW)
    assert code_of("a@mailinator.com") == "ok"
    say("mailinator.com", RELAY)
    assert code_of("a@mailinator.com") == "relay"
    assert count(DomainRule) == 1


def test_the_most_specific_line_counts(say):
    say("example.com", AWAY)
    say("good.example.com", ALLOW)

    assert code_of("a@example.com") == "disposable"
    assert code_of("a@good.example.com") == "ok"


def test_every_change_is_recorded_and_only_admins_make_one(say, boss, moderator, alice):
    say("away.example.com")
    say("away.example.com", RELAY)
    with transaction():
        domains.remove_rule("AWAY.example.com", "退去", by=boss, now=MONDAY)

    changes = select(AuditRow).where(AuditRow.action != "reason")
    rows = db.session.scalars(changes.order_by(AuditRow.seq)).all()
    assert [(row.action, row.object) for row in rows] == [
        ("set-domain-rule", "domain:away.example.com"),
        ("set-domain-rule", "domain:away.example.com"),
        ("remove-domain-rule", "domain:away.example.com"),
    ]
    assert rows[1].body == {"before": "disposable", "after": "relay"}
    assert {row.actor_id for row in rows} == {boss.id}
    assert queries.operator_rules() == {}
    for person in (moderator, alice):
        with pytest.raises(NotAllowed):
            say("away.example.com", by=person)
        with transaction(), pytest.raises(NotAllowed):
            domains.remove_rule("away.example.com", "退去", by=person, now=MONDAY)
    with transaction(), pytest.raises(NotFound):
        domains.remove_rule("away.example.com", "退去", by=boss, now=MONDAY)


def test_two_who_say_something_at_once_leave_one_line(app, boss):
    by_id = boss.id

    def say():
        by = db.session.get(Account, by_id)
        domains.set_rule("away.example.com", AWAY, "x", by=by, now=MONDAY)

    outcomes = race(app, say, say)

    assert "done" in outcomes
    assert set(outcomes) <= {"done", "Conflict"}
    assert count(DomainRule) == 1


def test_registration_uses_the_operators_list(say, register, mails):
    say("away.example.com")

    _, answer = register(email="dora@mail.away.example.com")

    assert answer.status_code == 422
    assert "使い捨て" in pages.text(answer.text)
    assert mails() == []


def test_a_change_of_address_uses_it(say, log_in, mails):
    hashed = passwords.hash_password(PASSWORD)
    client = log_in(make_account("dora", password_hash=hashed))
    say("away.example.com", RELAY)

    answer = pages.submit(
        client,
        "/me/email",
        "/me/email",
        email="dora@away.example.com",
        password=PASSWORD,
    )

    assert answer.status_code == 422
    assert "転送用" in pages.text(answer.text)


def test_accounts_made_by_hand_use_it(say):
    say("away.example.com")

    with transaction(), pytest.raises(RuleBroken, match="使い捨て"):
        admin.create(
            "dora", "dora@away.example.com", "a horse and a battery", now=MONDAY
        )


def test_texts_use_it(say, app):
    dora = make_account("dora", email="dora@away.example.com")
    boards.post(dora, note="連絡は dora@away.example.com まで")
    texts.check("Dora@AWAY.example.com", field="text", by=dora)

    say("away.example.com")

    with pytest.raises(RuleBroken):
        boards.post(dora, note="連絡は dora@away.example.com まで")
    with pytest.raises(RuleBroken):
        texts.check("dora@away.example.com", field="text", by=dora)


def test_a_text_may_name_the_own_mailbox_in_another_spelling(app):
    dora = make_account("dora", email="d.ora@gmail.com")

    texts.check("dora@googlemail.com", field="text", by=dora)
    with pytest.raises(RuleBroken):
        texts.check("emil@gmail.com", field="text", by=dora)


def test_an_address_that_waits_for_its_link_may_not_be_written_to_others(app):
    dora = make_account("dora", confirmed=False)

    with pytest.raises(RuleBroken):
        texts.check("dora@example.com", field="text", by=dora)


def test_the_list_is_read_in_one_statement(say, statements):
    say("a.example.com")
    say("b.example.com")

    with statements() as seen:
        queries.operator_rules()

    assert len(seen) == 1


def test_admins_add_try_and_remove_on_the_page(desk):
    answer = pages.submit(
        desk,
        "/desk/domains",
        "/desk/domains",
        domain="Away.example.com",
        verdict="disposable",
        reason="会員からの知らせ",
    )
    assert (answer.status_code, answer.location) == (303, "/desk/domains")
    page = pages.text(pages.get(desk, "/desk/domains"))
    for words in ("away.example.com", "会員からの知らせ", "boss", "一覧を更新しました"):
        assert words in page

    tried = pages.submit(
        desk, "/desk/domains", "/desk/domains/try", address="x@b.away.example.com"
    )
    assert tried.status_code == 200
    assert 'value="x@b.away.example.com"' in tried.text
    for words in ("登録できません", "disposable", "使い捨てアドレスは登録できません"):
        assert words in pages.text(tried.text)

    bare = pages.submit(desk, "/desk/domains", "/desk/domains/remove")
    assert (bare.status_code, count(DomainRule)) == (422, 1)
    assert "<details open>" in bare.text
    answer = pages.submit(desk, "/desk/domains", "/desk/domains/remove", why="x")
    assert answer.status_code == 303
    assert count(DomainRule) == 0
    assert "まだ行はありません" in pages.get(desk, "/desk/domains")


@pytest.mark.parametrize(
    ("address", "words"),
    [("taro@gmail.com", "登録できます"), ("taro.yamada83@icloud.com", "担当者にメモ")],
)
def test_the_box_says_what_is_accepted_and_what_is_looked_at(desk, address, words):
    tried = pages.submit(desk, "/desk/domains", "/desk/domains/try", address=address)

    assert words in pages.text(tried.text)


@pytest.mark.parametrize(
    "fields",
    [
        {"domain": "com", "verdict": "relay", "reason": "x"},
        {"domain": "a.example.com", "verdict": "", "reason": "x"},
        {"domain": "a.example.com", "verdict": "relay", "reason": ""},
    ],
)
def test_a_mistake_stays_beside_its_field_and_nothing_is_lost(desk, fields):
    answer = pages.submit(desk, "/desk/domains", "/desk/domains", **fields)

    assert answer.status_code == 422
    assert answer.text.count('aria-invalid="true"') == 1
    assert f'value="{fields["domain"]}"' in answer.text
    assert count(DomainRule) == 0


def test_an_empty_address_is_not_tried(desk):
    tried = pages.submit(desk, "/desk/domains", "/desk/domains/try", address="")

    assert tried.status_code == 422


def test_nobody_but_admins_sees_the_page(app, moderator, alice, log_in, boss):
    for person in (moderator, alice):
        client = log_in(person)
        assert client.get("/desk/domains").status_code == 404
        page = pages.get(client, "/")
        token = pages.find_form(page, "/logout").values()["csrf_token"]
        for path in ("", "/remove", "/try"):
            data = {"csrf_token": token, "domain": "a.example.com"}
            assert client.post(f"/desk/domains{path}", data=data).status_code == 404


def test_the_list_comes_in_pages(desk, boss, say, statements):
    with transaction():
        for number in range(51):
            name = f"d{number:02}.example.com"
            domains.set_rule(name, AWAY, "x", by=boss, now=MONDAY)

    first = pages.get(desk, "/desk/domains")
    assert "d49.example.com" in first
    assert "d50.example.com" not in first
    with statements() as seen:
        second = pages.get(desk, "/desk/domains?after=d49.example.com")
    assert "d50.example.com" in second
    assert "続きを見る" not in second
    assert len(seen) < 10
    assert len(mailboxes.domain_rules("", limit=3)) == 3


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Let a new application find its folder elsewhere."""
    monkeypatch.setattr(Flask, "auto_find_instance_path", lambda _: str(tmp_path))
    yield tmp_path
    datafiles.use_folder(None)


def test_the_operators_files_count_from_the_start(elsewhere):
    folder = elsewhere / "identity"
    folder.mkdir()
    (folder / "disposable_extra.txt").write_text("away.example.com\n")

    made = create_app(TESTING=True)

    assert check_email("a@x.away.example.com").code == "disposable"
    command = ["identity", "check-email", "a@away.example.com"]
    assert "disposable" in made.test_cli_runner().invoke(args=command).stdout


def test_a_bad_line_in_them_stops_the_start(elsewhere):
    folder = elsewhere / "identity"
    folder.mkdir()
    (folder / "relay_domains.txt").write_text("Not A Domain\n")

    with pytest.raises(datafiles.BadDataFile, match="line 1"):
        create_app(TESTING=True)


def test_without_the_folder_only_our_own_lists_count(elsewhere):
    create_app(TESTING=True)

    assert check_email("a@away.example.com").code == "ok"
