from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import mailserver
from tests.factories import MONDAY, count, make_account
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.core.transaction import transaction
from tradeboard.notifications import jobs, rules, services
from tradeboard.notifications.models import OutboxMail

A_MINUTE = timedelta(minutes=1)


def mail():
    db.session.rollback()
    return db.session.scalars(select(OutboxMail)).one()


def test_a_queued_mail_arrives_once(alice, queue, inbox):
    queue(alice)

    assert jobs.deliver_outbox(MONDAY).done == 1
    assert jobs.deliver_outbox(MONDAY + timedelta(days=1)).done == 0

    [letter] = inbox.mails
    assert letter["To"] == "alice@example.com"
    assert letter["Message-ID"] == f"<{mail().message_id}@127.0.0.1>"
    assert letter["Auto-Submitted"] == "auto-generated"
    assert "http://127.0.0.1:8000/trades/3" in letter.get_content()
    assert mail().sent_at is not None


def test_the_same_key_is_told_once(alice, queue, inbox):
    queue(alice, key="accepted:3")
    queue(alice, key="accepted:3")

    jobs.deliver_outbox(MONDAY)

    assert len(inbox.mails) == 1


@pytest.mark.parametrize(
    ("language", "zone"), [("ja", "（日本時間）"), ("en", "Japan time")]
)
def test_a_mail_is_in_the_language_of_its_reader(app, queue, inbox, language, zone):
    queue(make_account("dora", language=language))

    jobs.deliver_outbox(MONDAY)

    assert zone in inbox.mails[0].get_content()


@pytest.mark.parametrize(
    ("address", "wire"),
    [
        ('"da..me"@docomo.ne.jp', '"da..me"@docomo.ne.jp'),
        ("da..me@docomo.ne.jp", '"da..me"@docomo.ne.jp'),
        ("dame.@ezweb.ne.jp", '"dame."@ezweb.ne.jp'),
        (".dame@docomo.ne.jp", '".dame"@docomo.ne.jp'),
        ("da.me@docomo.ne.jp", "da.me@docomo.ne.jp"),
        ("taro_-/?@docomo.ne.jp", "taro_-/?@docomo.ne.jp"),
    ],
)
def test_a_carriers_dots_are_quoted_on_the_wire(app, queue, inbox, address, wire):
    queue(make_account("dora", email=address))

    assert jobs.deliver_outbox(MONDAY).failed == 0

    assert [told.split()[0] for told in inbox.recipients] == [f"TO:<{wire}>"]
    assert f"To: {wire}" in inbox.mails[0].as_string()


def test_a_mail_refused_for_now_goes_up_the_ladder(alice, queue, inbox):
    queue(alice)
    inbox.answers["alice@example.com"] = "451 try later"

    jobs.deliver_outbox(MONDAY)
    first = mail().next_try_at
    jobs.deliver_outbox(first - timedelta(seconds=1))
    jobs.deliver_outbox(first)

    assert timedelta(0) <= first - MONDAY - A_MINUTE < timedelta(seconds=10)
    assert mail().tries == 2
    assert "451 try later" in mail().error
    assert mail().next_try_at - first >= rules.LADDER[1]


def test_it_leaves_as_soon_as_the_server_takes_it(alice, queue, inbox):
    queue(alice)
    inbox.answers["alice@example.com"] = "451 try later"
    jobs.deliver_outbox(MONDAY)

    inbox.answers.clear()
    jobs.deliver_outbox(mail().next_try_at)

    assert mail().sent_at is not None
    assert mail().error is None


def test_a_mail_refused_a_whole_day_is_given_up(alice, queue, inbox):
    queue(alice)
    inbox.answers["alice@example.com"] = "451 try later"

    at = MONDAY
    while mail().dead_at is None:
        jobs.deliver_outbox(at)
        at = mail().next_try_at

    assert mail().tries == len(rules.LADDER) + 1
    day = mail().dead_at - MONDAY
    assert timedelta(hours=24) <= day < timedelta(hours=24, minutes=2)


def test_a_mail_refused_for_good_is_given_up_at_once(alice, queue, inbox):
    queue(alice)
    inbox.answers["alice@example.com"] = "550 no such user"

    jobs.deliver_outbox(MONDAY)

    assert mail().dead_at is not None
    assert "550" in mail().error


def test_one_bad_mail_stops_no_other(alice, bob, charlie, queue, inbox):
    queue(alice, key="1", template="test/mail/broken.txt")
    queue(bob, key="2")
    inbox.answers["bob@example.com"] = "550 no"
    queue(charlie, key="3")

    swept = jobs.deliver_outbox(MONDAY)

    assert (swept.done, swept.failed) == (1, 2)
    assert [letter["To"] for letter in inbox.mails] == ["charlie@example.com"]


def test_an_unreachable_server_costs_one_try_not_all(app, alice, queue, monkeypatch):
    for key in "abc":
        queue(alice, key=key)
    with mailserver.running() as (_, settings):
        pass
    for name, value in settings.items():
        monkeypatch.setitem(app.config, name, value)

    jobs.deliver_outbox(MONDAY)

    assert count(OutboxMail, OutboxMail.tries == 1) == 1
    assert count(OutboxMail, OutboxMail.tries == 0) == 2


def test_three_who_deliver_at_once_send_each_mail_once(app, alice, queue, inbox):
    for key in range(20):
        queue(alice, key=str(key), handle=f"n{key}")

    def deliver(_):
        with app.app_context():
            return jobs.deliver_outbox(MONDAY).done

    with ThreadPoolExecutor(3) as pool:
        done = sum(pool.map(deliver, range(3)))

    assert done == 20
    assert len(set(inbox.subjects())) == len(inbox.subjects()) == 20


def test_a_claim_of_a_dead_process_ends_after_two_minutes(alice, queue, inbox):
    queue(alice)
    mail_id = mail().id
    with transaction():
        assert services.claim(mail_id, now=MONDAY) is not None

    assert jobs.deliver_outbox(MONDAY + rules.CLAIM - A_MINUTE).done == 0
    assert jobs.deliver_outbox(MONDAY + rules.CLAIM).done == 1


def test_a_certificate_nobody_vouches_for_gets_no_mail(
    app, alice, queue, tmp_path, monkeypatch
):
    queue(alice)
    context, _ = mailserver.self_signed(tmp_path)

    with mailserver.running(context) as (inbox, settings):
        for name, value in settings.items():
            monkeypatch.setitem(app.config, name, value)
        jobs.deliver_outbox(MONDAY)

    assert inbox.mails == []
    assert "CERTIFICATE_VERIFY_FAILED" in mail().error


def test_mail_is_encrypted_on_its_way(app, alice, queue, tmp_path, monkeypatch):
    queue(alice)
    context, trusted = mailserver.self_signed(tmp_path)

    with mailserver.running(context) as (inbox, settings):
        for name, value in {**settings, "SMTP_CA_FILE": str(trusted)}.items():
            monkeypatch.setitem(app.config, name, value)
        jobs.deliver_outbox(MONDAY)

    assert inbox.encrypted == [True]


def test_without_a_server_mail_waits(app, alice, queue):
    queue(alice)

    assert jobs.deliver_outbox(MONDAY).done == 0
    assert (mail().tries, mail().sent_at) == (0, None)


def test_in_the_demo_mail_counts_as_delivered(app, alice, queue, monkeypatch):
    monkeypatch.setitem(app.config, "DEMO", True)
    queue(alice)

    assert jobs.deliver_outbox(MONDAY).done == 1
    assert mail().sent_at is not None


def test_staff_can_let_a_dead_mail_be_tried_again(alice, queue, inbox):
    queue(alice)
    inbox.answers["alice@example.com"] = "550 no"
    jobs.deliver_outbox(MONDAY)

    inbox.answers.clear()
    mail_id = mail().id
    with transaction():
        services.retry(mail_id, now=MONDAY)
    jobs.deliver_outbox(MONDAY)

    assert mail().sent_at is not None
    with pytest.raises(Conflict), transaction():
        services.retry(mail_id, now=MONDAY)


def test_old_mails_are_emptied_and_never_told_again(alice, queue, inbox):
    queue(alice)
    jobs.deliver_outbox(MONDAY)

    jobs.forget_mail(MONDAY + rules.TEXT_IS_KEPT - timedelta(seconds=1))
    assert mail().to == "alice@example.com"

    jobs.forget_mail(MONDAY + rules.TEXT_IS_KEPT)
    assert (mail().to, mail().facts) == ("", {})
    queue(alice)
    assert count(OutboxMail) == 1
