import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from tests import pages
from tests.accounts.conftest import words_of
from tests.factories import PASSWORD, count
from tradeboard.accounts import tokens
from tradeboard.accounts.models import Account, MailedToken, StaffNote
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import admin, registration, watching
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.transaction import transaction


def confirm(token, now=None):
    with transaction():
        return registration.confirm(token, now=now or clock.now())


def token_of(mail):
    return mail[2]["path"].removeprefix("/confirm/")


def account_of(handle):
    return db.session.scalar(select(Account).where(Account.handle == handle))


@pytest.mark.parametrize(
    ("email", "says"),
    [
        ("dora+trade@gmail.com", "サブアドレスは登録できません"),
        ("dora@mailinator.com", "使い捨て"),
        ("dora@mozmail.com", "転送用"),
        ("dora.example.com", "アドレス"),
        ("дора@example.com", "半角英数字"),
    ],
)
def test_an_address_that_is_not_the_main_one_is_refused_in_words(
    register, mails, email, says
):
    _, answer = register(email=email)

    assert answer.status_code == 422
    assert says in words_of(answer)
    assert f'value="{email}"' in answer.get_data(as_text=True)
    assert (count(Account), mails()) == (0, [])


def test_every_mistake_is_named_at_once_and_nothing_but_the_password_is_emptied(
    register,
):
    _, answer = register(handle="x", email="dora+x@gmail.com", password="short")

    page = answer.get_data(as_text=True)
    assert answer.status_code == 422
    assert page.count('aria-invalid="true"') == 3
    assert 'value="x"' in page
    assert "short" not in page


@pytest.mark.parametrize("handle", ["ALICE", "a1ice", "alice☆", "Аlice"])
def test_a_handle_that_reads_like_another_is_refused(alice, register, handle):
    _, answer = register(handle=handle)

    assert answer.status_code == 422


def test_a_free_and_a_taken_mailbox_get_the_same_answer(alice, register, mails):
    free, first = register("dora", "dora@example.com")
    taken, second = register("emil", "alice@example.com")

    assert (first.status_code, first.location) == (303, "/register/done")
    assert (second.status_code, second.location) == (303, "/register/done")
    assert [name for name, _ in first.headers] == [name for name, _ in second.headers]
    done = [pages.text(pages.get(c, "/register/done")) for c in (free, taken)]
    assert done[0] == done[1]
    assert [(template, to) for template, to, _ in mails()] == [
        ("confirm.txt", "dora@example.com"),
        ("has_account.txt", "alice@example.com"),
    ]


def test_the_mailbox_of_a_listed_person_is_told_of_the_entry(
    app, alice, register, mails
):
    with transaction():
        db.session.get(Account, alice.id).standing = Standing.LISTED

    register("emil", "alice@example.com")

    assert mails()[0][2]["listed"] is True


def test_a_taken_mailbox_is_written_to_once_a_day(alice, register, mails):
    register("emil", "alice@example.com")
    register("fred", "ALICE@example.com")

    assert len(mails()) == 1


def test_a_form_pressed_twice_makes_one_account(app, register):
    client, answer = register("dora", submit_id="same")
    _, again = register("dora", submit_id="same")

    assert (answer.status_code, again.status_code) == (303, 303)
    assert count(Account) == 1


def test_two_presses_at_once_make_one_account(app, register):
    clients = [app.test_client() for _ in range(2)]
    barrier, outcomes = threading.Barrier(2), []

    def run(client):
        with app.app_context():
            page = client.get("/register").get_data(as_text=True)
            data = pages.form_fields(page, "/register")
            data |= {"handle": "dora", "email": "dora@example.com"}
            data |= {"password": PASSWORD, "submit_id": "same"}
            barrier.wait()
            answer = client.post("/register", data=data)
            outcomes.append((answer.status_code, answer.location))

    threads = [threading.Thread(target=run, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    db.session.rollback()
    assert outcomes == [(303, "/register/done")] * 2
    assert count(Account) == 1


def test_a_mailbox_is_not_flooded_by_strangers(register, mails):
    answers = [
        register(f"dora{'abcdefghijkl'[n]}", "d.o.r.a@gmail.com")[1] for n in range(11)
    ]

    assert [answer.status_code for answer in answers] == [303] * 10 + [429]
    assert len(mails()) == 10


def test_opening_a_mailed_link_uses_nothing_up_and_pressing_uses_it_once(
    register, mails
):
    register()
    token = token_of(mails()[0])

    for _ in range(3):
        assert registration.waiting(token, now=clock.now()).handle == "dora"

    assert confirm(token).is_confirmed
    with pytest.raises(Conflict):
        confirm(token)


def test_a_new_link_kills_the_older_one(app, register, mails):
    register()
    with transaction():
        made_at = db.session.scalars(select(MailedToken)).one().made_at
        later = made_at + registration.AGAIN_AFTER
        registration.send_again(account_of("dora"), now=later)
    older, newer = (token_of(mail) for mail in mails("confirm.txt"))

    with pytest.raises(Conflict):
        confirm(older, later)

    assert confirm(newer, later).is_confirmed


def test_a_link_ends_after_a_day(register, mails):
    register()
    end = clock.now() + tokens.GOOD_FOR["confirm"]

    with pytest.raises(Conflict):
        confirm(token_of(mails()[0]), end)


def test_a_link_is_bound_to_its_address(app, register, mails):
    register()
    with transaction():
        account_of("dora").email_wire = "other@example.com"

    with pytest.raises(Conflict):
        confirm(token_of(mails()[0]))


def test_a_second_mail_is_sent_after_a_minute_and_not_before(register, mails):
    client, _ = register()

    answer = pages.submit(client, "/me", "/confirm/resend")

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert len(mails()) == 1


def test_strangers_learn_nothing_from_asking_again(app, alice, register, mails):
    answers = [
        pages.submit(app.test_client(), "/confirm/resend", email=email)
        for email in ("alice@example.com", "nobody@example.com")
    ]

    assert [a.location for a in answers] == ["/register/done"] * 2
    assert mails() == []


def test_two_spellings_of_one_mailbox_are_confirmed_once(register, mails):
    register("dora", "a.b@gmail.com")
    register("emil", "ab@googlemail.com")
    first, second = (token_of(mail) for mail in mails("confirm.txt"))

    confirm(first)

    with pytest.raises(Conflict, match="先に別のアカウントで"):
        confirm(second)
    assert count(Account) == 2
    assert count(Account, Account.email_confirmed_at.is_not(None)) == 1


def test_of_two_who_confirm_one_mailbox_at_once_one_wins(app, register, mails):
    register("dora", "a.b@gmail.com")
    register("emil", "ab@googlemail.com")
    barrier, outcomes = threading.Barrier(2), []

    def run(token):
        with app.app_context():
            barrier.wait()
            try:
                confirm(token)
                outcomes.append("confirmed")
            except Conflict:
                outcomes.append("refused")
            finally:
                db.session.remove()

    threads = [threading.Thread(target=run, args=(token_of(mail),)) for mail in mails()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    db.session.rollback()
    assert sorted(outcomes) == ["confirmed", "refused"]
    assert count(Account, Account.email_confirmed_at.is_not(None)) == 1


def at_once(app, act, things):
    """Do the same to each thing in a thread of its own, all at one moment."""
    barrier = threading.Barrier(len(things))

    def run(thing):
        with app.app_context():
            barrier.wait()
            try:
                return act(thing)
            finally:
                db.session.remove()

    db.session.rollback()
    with ThreadPoolExecutor(len(things)) as pool:
        return list(pool.map(run, things))


def test_two_spellings_registered_and_confirmed_at_once_are_one_account(app, mails):
    def fill_in(handle, email):
        client = app.test_client()
        data = pages.form_fields(client.get("/register").text, "/register")
        data |= {"handle": handle, "email": email, "password": PASSWORD}
        return client, data

    people = (("dora", "a.b@gmail.com"), ("emil", "ab@googlemail.com"))
    forms = [fill_in(*person) for person in people]
    answers = at_once(app, lambda form: form[0].post("/register", data=form[1]), forms)
    assert [answer.status_code for answer in answers] == [303, 303]

    def press(mail):
        client, path = app.test_client(), mail[2]["path"]
        return pages.submit(client, path, path).status_code

    assert sorted(at_once(app, press, mails("confirm.txt"))) == [303, 409]
    assert count(Account, Account.email_confirmed_at.is_not(None)) == 1


def test_two_who_press_one_link_at_once_have_one_effect(app, register, mails):
    register()
    token = token_of(mails()[0])
    barrier, outcomes = threading.Barrier(2), []

    def run():
        with app.app_context():
            barrier.wait()
            try:
                confirm(token)
                outcomes.append("confirmed")
            except Conflict:
                outcomes.append("refused")
            finally:
                db.session.remove()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["confirmed", "refused"]


def watch_mailbox(account_id, mailbox, cause="entry:12"):
    with transaction():
        key = keyring.mac_hex("email", mailbox), keyring.ring().kid("email")
        watching.watch(
            account_id, cause, mailbox=key, phones=[], devices=[], now=clock.now()
        )


@pytest.mark.parametrize("closed", [False, True])
def test_a_listed_mailbox_gets_the_same_answer_and_a_mail_of_its_own(
    alice, register, mails, closed
):
    watch_mailbox(alice.id, "alice@example.com")
    if closed:
        with transaction():
            db.session.get(Account, alice.id).closed_at = clock.now()

    free, first = register("dora", "dora@example.com")
    listed, second = register("emil", "ALICE@example.com")

    assert (first.status_code, first.location) == (second.status_code, second.location)
    assert [name for name, _ in first.headers] == [name for name, _ in second.headers]
    done = [pages.get(client, "/register/done") for client in (free, listed)]
    assert len(done[0]) - len(done[1]) == len("dora") - len("emil")
    assert pages.text(done[0]) == pages.text(done[1])
    assert [(template, to) for template, to, _ in mails()] == [
        ("confirm.txt", "dora@example.com"),
        ("mailbox_listed.txt", "alice@example.com"),
    ]
    assert mails()[1][2] == {"entry": "12", "closed": closed}


def test_a_listed_mailbox_is_written_to_as_spelt_when_no_account_tells_it(
    alice, register, mails
):
    watch_mailbox(alice.id, "former@example.com")

    register("emil", "Former@example.com")

    assert mails()[0][:2] == ("mailbox_listed.txt", "Former@example.com")


def test_a_listed_mailbox_is_written_to_once_a_day(alice, register, mails):
    watch_mailbox(alice.id, "alice@example.com")
    client, _ = register("emil", "alice@example.com")
    register("fred", "alice@example.com")
    with transaction():
        later = clock.now() + registration.AGAIN_AFTER
        registration.send_again(account_of("emil"), now=later)

    assert [template for template, _, _ in mails()] == ["mailbox_listed.txt"]


def test_a_mailbox_that_is_watched_in_between_is_not_confirmed(alice, register, mails):
    register()
    watch_mailbox(alice.id, "dora@example.com")

    with pytest.raises(Conflict, match="アカウントを確認できません"):
        confirm(token_of(mails()[0]))

    db.session.rollback()
    assert not account_of("dora").is_confirmed


def test_ones_own_watched_mailbox_can_be_confirmed(register, mails):
    register()
    watch_mailbox(account_of("dora").id, "dora@example.com")

    assert confirm(token_of(mails()[0])).is_confirmed


def test_a_mailbox_of_a_listed_person_makes_no_account_by_hand(alice, app):
    watch_mailbox(alice.id, "former@example.com")

    with transaction(), pytest.raises(RuleBroken, match="アカウントを確認できません"):
        admin.create(
            "emil", "former@example.com", "a horse and a battery", now=clock.now()
        )


def test_a_suspect_address_works_and_leaves_a_note(register, mails):
    register("taro", "taro.yamada83@icloud.com")

    [note] = db.session.scalars(select(StaffNote)).all()
    assert (note.kind, note.detail) == (
        NoteKind.EMAIL,
        "relay.hide_my_email_suspect",
    )
    assert confirm(token_of(mails()[0])).is_confirmed


def test_the_three_kinds_of_mailbox_take_as_many_statements(
    alice, bob, app, write, statements
):
    key = keyring.mac_hex("email", "bob.b@example.com"), keyring.ring().kid("email")
    watching.watch(
        bob.id, "entry:12", mailbox=key, phones=[], devices=[], now=clock.now()
    )
    counts = []
    for handle, email in (
        ("dora", "dora@example.com"),
        ("emil", "alice@example.com"),
        ("fred", "bob.b@example.com"),
    ):
        asked = registration.prepare(handle, email, PASSWORD)
        with statements() as seen:
            registration.register(asked, now=clock.now())
            db.session.flush()
        counts.append(len(seen))

    assert len(set(counts)) == 1, counts
