import re
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import pages
from tests.accounts.conftest import words_of
from tests.factories import MONDAY, PASSWORD, count, make_account
from tests.races import race
from tests.worlds import make_trade
from tradeboard.accounts import passwords, tokens
from tradeboard.accounts.models import Account, MailedToken, StaffNote, Watch
from tradeboard.accounts.rules.email import RULES_VERSION, DomainVerdict
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import (
    address,
    domains,
    mailboxes,
    profile,
    registration,
    watching,
)
from tradeboard.audit.models import AuditRow
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Trade

NEW = "dora.new@example.com"
A_DAY = timedelta(days=1)
TRADE_COLUMNS = [column.key for column in Trade.__table__.columns]


@pytest.fixture
def dora(app):
    """She has a password and another address as well."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


@pytest.fixture
def ask(log_in, dora):
    """Return how Dora asks for another address in a browser."""

    def ask(email=NEW, client=None, password=PASSWORD, **fields):
        client = client or log_in(dora)
        fields = {"email": email, "password": password} | fields
        return client, pages.submit(client, "/me/email", "/me/email", **fields)

    return ask


def watch_mailbox(account_id, mailbox, cause="entry:12"):
    with transaction():
        key = keyring.mac_hex("email", mailbox), keyring.ring().kid("email")
        watching.watch(
            account_id, cause, mailbox=key, phones=[], devices=[], now=clock.now()
        )


def token_of(mails):
    return mails("change_email.txt")[-1][2]["path"].removeprefix("/change-email/")


def change(token, now=None):
    with transaction():
        return address.change(token, now=now or clock.now())


def account_of(handle):
    db.session.rollback()
    return db.session.scalar(select(Account).where(Account.handle == handle))


def is_signed_in(client):
    return client.get("/me").status_code == 200


def test_the_page_shows_the_present_address_and_asks_for_the_password(ask, mails):
    client, answer = ask(password="not the password")

    assert answer.status_code == 422
    assert "いまのパスワードが違います" in words_of(answer)
    assert f'value="{NEW}"' in answer.text
    assert PASSWORD not in answer.text
    assert "dora@example.com" in pages.get(client, "/me/email")
    assert mails() == []


def test_strangers_are_asked_to_log_in(app):
    assert app.test_client().get("/me/email").status_code in {302, 303}


@pytest.mark.parametrize(
    ("email", "says"),
    [
        ("dora+trade@gmail.com", "サブアドレスは登録できません"),
        ("dora@mailinator.com", "使い捨て"),
        ("dora@mozmail.com", "転送用"),
        ("dora@example.com", "いまの本アドレスと同じです"),
        ("", "メールアドレスを入力してください"),
    ],
)
def test_the_same_rules_hold_as_at_registration(ask, mails, email, says):
    _, answer = ask(email)

    assert answer.status_code == 422
    assert says in words_of(answer)
    assert answer.text.count('aria-invalid="true"') == 1
    assert (count(MailedToken), mails()) == (0, [])


def test_both_mistakes_are_named_at_once(ask):
    _, answer = ask("dora+x@gmail.com", password="wrong")

    assert answer.text.count('aria-invalid="true"') == 2


def test_a_link_goes_to_the_new_address_and_a_word_to_the_old_one(ask, dora, mails):
    client, answer = ask(f"  {NEW}　")

    assert (answer.status_code, answer.location) == (303, "/me/email")
    assert [(template, to) for template, to, _ in mails()] == [
        ("change_email.txt", NEW),
        ("email_change_asked.txt", "dora@example.com"),
    ]
    page = pages.text(pages.get(client, "/me/email"))
    assert "メールを送りました" in page
    assert f"新しいアドレス{NEW}" in page
    assert "リンクの期限" in page
    assert account_of("dora").email == "dora@example.com"


def test_free_taken_and_listed_mailboxes_get_the_same_answer(
    app, dora, log_in, ask, alice, bob, mails
):
    watch_mailbox(bob.id, "bob.b@example.com")
    found = []
    for email in ("erica@example.com", "alice@example.com", "bob.b@example.com"):
        client, answer = ask(email)
        page = pages.get(client, "/me/email")
        # Each asking is told to the own old address, so the notices grow.
        shown = re.sub(r"新着\d件", "", pages.text(page).replace(email, ""))
        names = [name for name, _ in answer.headers]
        size = len(page) - 2 * len(email) if page.count(email) == 2 else len(page)
        size -= page.count(email) * len(email)
        found.append((answer.status_code, answer.location, names, shown, size))

    assert found[0] == found[1] == found[2]
    assert [(t, to) for t, to, _ in mails() if t != "email_change_asked.txt"] == [
        ("change_email.txt", "erica@example.com"),
        ("has_account.txt", "alice@example.com"),
        ("mailbox_listed.txt", "bob.b@example.com"),
    ]
    assert mails("mailbox_listed.txt")[0][2] == {"entry": "12", "closed": False}


def test_the_three_kinds_take_as_many_statements(
    dora, alice, bob, statements, app, write
):
    key = keyring.mac_hex("email", "bob.b@example.com"), keyring.ring().kid("email")
    watching.watch(
        bob.id, "entry:12", mailbox=key, phones=[], devices=[], now=clock.now()
    )
    counts = []
    for email in ("erica@example.com", "alice@example.com", "bob.b@example.com"):
        db.session.expire_all()
        by = db.session.get(Account, dora.id)
        with statements() as seen:
            address.ask(email, by=by, now=clock.now())
            db.session.flush()
        counts.append(len(seen))

    assert len(set(counts)) == 1, counts


def test_owners_are_written_to_once_a_day(ask, alice, bob, mails):
    watch_mailbox(bob.id, "bob.b@example.com")
    for _ in range(2):
        ask("alice@example.com")
        ask("bob.b@example.com")

    assert len(mails("has_account.txt")) == 1
    assert len(mails("mailbox_listed.txt")) == 1
    assert len(mails("email_change_asked.txt")) == 4


def test_a_closed_account_is_told_how_to_answer(ask, bob, mails):
    watch_mailbox(bob.id, "bob@example.com")
    with transaction():
        db.session.get(Account, bob.id).closed_at = clock.now()

    ask("bob@example.com")

    assert mails("mailbox_listed.txt")[0][1] == "bob@example.com"
    assert mails("mailbox_listed.txt")[0][2]["closed"] is True
    with pytest.raises(Conflict):
        change_without_mail("bob@example.com")


def change_without_mail(email):
    """Use a link that was made but not mailed."""
    with transaction():
        token = tokens.issue(account_of_open("dora"), "change", email=email, now=MONDAY)
    return change(token, MONDAY)


def account_of_open(handle):
    return db.session.scalar(select(Account).where(Account.handle == handle))


def test_using_the_link_changes_every_column_at_once(app, ask, dora, mails):
    here, _ = ask("Dora.New@Gmail.com")
    there, _ = ask("Dora.New@Gmail.com")
    token = token_of(mails)

    answer = pages.submit(here, f"/change-email/{token}", f"/change-email/{token}")

    assert (answer.status_code, answer.location) == (303, "/me")
    changed = account_of("dora")
    assert changed.email == "Dora.New@Gmail.com"
    assert changed.email_wire == "Dora.New@gmail.com"
    assert changed.email_login == "dora.new@gmail.com"
    assert changed.email_key == keyring.mac_hex("email", "doranew@gmail.com")
    assert changed.email_kid == keyring.ring().kid("email")
    assert (changed.email_rules, changed.email_kept_rules) == (RULES_VERSION, None)
    assert changed.email_confirmed_at > MONDAY
    assert is_signed_in(here)
    assert not is_signed_in(there)
    assert mails("email_changed.txt")[0][1] == "dora@example.com"
    bodies = db.session.scalars(select(AuditRow).order_by(AuditRow.seq)).all()
    assert [row.action for row in bodies][-1] == "change-email"
    assert "@" not in str([row.body for row in bodies])
    assert "手続き中" not in pages.text(pages.get(here, "/me/email"))


def test_the_link_works_in_a_browser_that_is_not_signed_in(app, ask, mails):
    ask()
    link = f"/change-email/{token_of(mails)}"

    answer = pages.submit(app.test_client(), link, link)

    assert answer.location == "/login"
    assert account_of("dora").email == NEW


def test_somebody_else_who_opens_the_link_stays_signed_in(ask, mails, alice, log_in):
    ask()
    client = log_in(alice)
    link = f"/change-email/{token_of(mails)}"

    pages.submit(client, link, link)

    assert is_signed_in(client)


def test_opening_the_link_uses_nothing_up(app, ask, mails):
    ask()
    link = f"/change-email/{token_of(mails)}"

    for _ in range(3):
        answer = app.test_client().get(link)
        assert answer.status_code == 200
        assert NEW in answer.text
        assert answer.headers["Referrer-Policy"] == "no-referrer"

    assert pages.submit(app.test_client(), link, link).status_code == 303
    assert app.test_client().get(link).status_code == 410
    with pytest.raises(Conflict):
        change(token_of(mails))


def test_a_newer_link_kills_the_older_one(ask, mails):
    ask()
    older = token_of(mails)
    ask("dora.other@example.com")

    with pytest.raises(Conflict):
        change(older)
    assert change(token_of(mails)).email == "dora.other@example.com"


def test_a_link_ends_after_a_day(ask, mails):
    ask()

    with pytest.raises(Conflict):
        change(token_of(mails), clock.now() + A_DAY)


def test_a_withdrawn_change_is_void(ask, mails):
    client, _ = ask()

    answer = pages.submit(client, "/me/email", "/me/email/withdraw")

    assert answer.location == "/me/email"
    assert "取りやめました" in pages.text(pages.get(client, "/me/email"))
    assert NEW not in pages.get(client, "/me/email")
    with pytest.raises(Conflict):
        change(token_of(mails))


def test_withdrawing_needs_the_form(log_in, dora):
    answer = log_in(dora).post("/me/email/withdraw")

    assert answer.status_code == 400


def test_a_new_password_makes_the_link_void(ask, dora, mails):
    ask()
    with transaction():
        profile.change_password(db.session.get(Account, dora.id), "!", now=clock.now())

    with pytest.raises(Conflict):
        change(token_of(mails))


def test_another_change_of_the_address_makes_every_open_link_void(ask, dora, mails):
    with transaction():
        by = db.session.get(Account, dora.id)
        void = [
            tokens.issue(by, purpose, now=clock.now())
            for purpose in ("confirm", "reset")
        ]
    ask()
    change(token_of(mails))

    for token, purpose in zip(void, ("confirm", "reset"), strict=True):
        with pytest.raises(Conflict):
            tokens.read(token, purpose, now=clock.now())


def test_a_link_is_bound_to_the_address_that_it_was_asked_from(ask, dora, mails):
    ask()
    with transaction():
        db.session.get(Account, dora.id).email_wire = "elsewhere@example.com"

    with pytest.raises(Conflict):
        change(token_of(mails))


def test_two_who_press_one_link_at_once_have_one_effect(app, ask, mails):
    ask()
    token = token_of(mails)

    outcomes = race(app, *[lambda: address.change(token, now=clock.now())] * 2)

    assert sorted(outcomes) == ["Conflict", "done"]
    assert len(mails("email_changed.txt")) == 1


def test_of_two_who_change_to_one_mailbox_at_once_one_wins(app, ask, dora, mails):
    emil = make_account("emil")
    with transaction():
        links = [
            tokens.issue(db.session.get(Account, one), "change", email=to, now=MONDAY)
            for one, to in ((dora.id, "a.b@gmail.com"), (emil.id, "ab@googlemail.com"))
        ]

    outcomes = race(
        app, *[lambda link=link: address.change(link, now=MONDAY) for link in links]
    )

    assert sorted(outcomes) == ["Conflict", "done"]
    assert count(Account, Account.email_wire.contains("mail.com")) == 1


def test_a_mailbox_that_somebody_confirmed_in_between_is_refused(ask, mails):
    client, _ = ask("taken@example.com")
    make_account("emil", email="taken@example.com")
    link = f"/change-email/{token_of(mails)}"

    answer = pages.submit(client, link, link)

    assert answer.status_code == 409
    assert "先に別のアカウントで確認されています" in words_of(answer)
    assert account_of("dora").email == "dora@example.com"


def test_a_mailbox_that_is_watched_in_between_is_refused(ask, mails, bob):
    ask()
    watch_mailbox(bob.id, NEW)

    with pytest.raises(Conflict, match="アカウントを確認できません"):
        change(token_of(mails))


def test_an_address_that_the_operator_refuses_in_between_stays_out(ask, mails):
    ask("dora@away.example.com")
    admin = make_account("boss", role=Role.ADMIN)
    with transaction():
        domains.set_rule(
            "away.example.com", DomainVerdict.DISPOSABLE, "x", by=admin, now=MONDAY
        )

    with pytest.raises(RuleBroken):
        change(token_of(mails))


def test_ones_own_mailbox_in_another_spelling_is_no_other_account(app, mails, log_in):
    hashed = passwords.hash_password(PASSWORD)
    gina = make_account("gina", email="gina@gmail.com", password_hash=hashed)
    client = log_in(gina)

    pages.submit(
        client, "/me/email", "/me/email", email="G.ina@gmail.com", password=PASSWORD
    )
    change(token_of(mails))

    assert account_of("gina").email == "G.ina@gmail.com"
    assert account_of("gina").email_key == keyring.mac_hex("email", "gina@gmail.com")


def test_a_barred_person_is_watched_for_under_the_new_mailbox_too(ask, dora, mails):
    watch_mailbox(dora.id, "dora@example.com")
    ask()
    change(token_of(mails))

    db.session.rollback()
    watches = db.session.scalars(select(Watch).where(Watch.cause == "entry:12")).all()
    assert {watch.hash for watch in watches} == {
        keyring.mac_hex("email", "dora@example.com"),
        keyring.mac_hex("email", NEW),
    }


def test_an_unconfirmed_account_changes_and_confirms_at_once(app, register, mails):
    client, _ = register()
    dora = account_of("dora")
    with transaction():
        db.session.add(waiting_listing(dora.id))

    pages.submit(client, "/me/email", "/me/email", email=NEW, password=PASSWORD)
    link = f"/change-email/{token_of(mails)}"
    pages.submit(client, link, link)

    assert account_of("dora").is_confirmed
    assert db.session.scalars(select(Listing.state)).one() is ListingState.OPEN
    with pytest.raises(Conflict):
        registration.waiting(
            mails("confirm.txt")[0][2]["path"].removeprefix("/confirm/"),
            now=clock.now(),
        )


def waiting_listing(owner_id):
    now = clock.now()
    return Listing(
        owner_id=owner_id,
        state=ListingState.AWAITING_EMAIL,
        game="星霜のカード",
        terms_number=1,
        created_at=now,
        changed_at=now,
        posted_at=now,
    )


def test_a_suspect_address_leaves_a_note(ask, dora, mails):
    ask("taro.yamada83@icloud.com")
    assert count(StaffNote) == 0

    change(token_of(mails))

    [note] = db.session.scalars(select(StaffNote)).all()
    assert (note.kind, note.account_id) == (NoteKind.EMAIL, dora.id)
    assert note.detail == "relay.hide_my_email_suspect"


def test_a_running_trade_stays_as_it_is(ask, dora, alice, mails):
    trade_id = make_trade(alice, dora, sent_by=[alice, dora]).id

    def columns():
        db.session.rollback()
        trade = db.session.get(Trade, trade_id)
        return {name: getattr(trade, name) for name in TRADE_COLUMNS}

    before = columns()
    ask()
    change(token_of(mails))

    assert columns() == before
    assert before["due_at"] is not None


def test_a_form_pressed_twice_sends_one_mail(ask, log_in, dora, mails):
    client, first = ask(submit_id="same")
    _, again = ask(client=client, submit_id="same")

    assert (first.location, again.location) == ("/me/email", "/me/email")
    assert len(mails("change_email.txt")) == 1


def test_passwords_cannot_be_tried_without_end(ask, dora):
    answers = [ask(password="wrong")[1].status_code for _ in range(11)]

    assert answers == [422] * 10 + [429]


def test_an_account_asks_so_often_a_day(ask, monkeypatch):
    monkeypatch.setattr("tradeboard.accounts.views.address.PER_ACCOUNT", "2 per day")
    answers = [ask(f"dora{n}@example.com")[1] for n in range(3)]

    assert [answer.status_code for answer in answers] == [303, 303, 429]


def test_a_line_asks_so_often_an_hour(ask, monkeypatch):
    monkeypatch.setattr("tradeboard.accounts.views.address.PER_LINE", "1 per hour")

    assert [ask(f"dora{n}@example.com")[1].status_code for n in range(2)] == [303, 429]


def test_a_mailbox_is_not_flooded_by_changes(ask, monkeypatch):
    monkeypatch.setattr("tradeboard.accounts.views.mailbox.PER_MAILBOX", "1 per day")

    answers = [ask(email)[1] for email in ("d.o@gmail.com", "do@googlemail.com")]

    assert [answer.status_code for answer in answers] == [303, 429]


def test_two_mails_of_one_day_at_once_are_one(app, dora, alice, mails):
    ids = [dora.id, make_account("emil").id]

    def ask(account_id):
        by = db.session.get(Account, account_id)
        address.ask("alice@example.com", by=by, now=MONDAY)

    outcomes = race(app, *[lambda one=one: ask(one) for one in ids])

    assert outcomes == ["done", "done"]
    assert len(mails("has_account.txt")) == 1


@pytest.mark.parametrize("language", ["ja", "en"])
def test_each_mail_can_be_read(ask, alice, bob, dora, mails, app, language):
    watch_mailbox(bob.id, "bob.b@example.com")
    watch_mailbox(bob.id, "gone@example.com", cause="other:1")
    ask("bob.b@example.com")
    ask("gone@example.com")
    ask("alice@example.com")
    ask()
    change(token_of(mails))
    with transaction():
        for mail in db.session.scalars(select(OutboxMail)):
            mail.language = language

    with app.test_request_context():
        texts = [mailer.render(m) for m in db.session.scalars(select(OutboxMail))]

    assert any("E-12" in body for _, body in texts)
    assert len({subject for subject, _ in texts}) == 5
    assert all(body.count("http") == 1 for _, body in texts)
    assert all(subject for subject, _ in texts)


def test_the_words_of_both_refusals_name_a_way_out():
    assert "別の本アドレス" in mailboxes.MAILBOX_TAKEN
    assert "運営にお知らせください" in mailboxes.NOT_POSSIBLE
