"""How optional mail comes, and the link that stops it."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests import pages
from tests.factories import MONDAY, count, make_account
from tests.notifications.test_notices import SECRET, notices, tell
from tradeboard.accounts import jobs as accounts
from tradeboard.core import keyfile, keyring
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications import jobs, queries, rules, services
from tradeboard.notifications.models import MailChoice, OutboxMail
from tradeboard.notifications.rules import Kind, MailMode

MESSAGE = "trades/mail/message.txt"
HOUR = timedelta(hours=1)
ROOT = Path(__file__).parents[2]
# 18:00 in Japan.
SIX = MONDAY.replace(hour=9) + timedelta(days=1)


def choose(reader, mode, kind=Kind.MESSAGE, at=MONDAY):
    with transaction():
        services.choose(reader.id, {kind.value: mode.value}, now=at)


def subjects(reader):
    db.session.rollback()
    found = db.session.query(OutboxMail).filter_by(account_id=reader.id)
    return [mail.template for mail in found.order_by(OutboxMail.id)]


def stop_link(inbox):
    jobs.deliver_outbox(MONDAY)
    return inbox.mails[-1]["List-Unsubscribe"].strip("<>").partition("8000")[2]


def test_off_means_a_notice_alone_and_duties_come_all_the_same(app, alice):
    for mode in (MailMode.OFF, MailMode.DAILY):
        choose(alice, mode)
        tell(alice, MESSAGE, key=mode.value, trade=mode.value)
    tell(alice, key="offer")

    assert len(notices(alice)) == 3
    assert subjects(alice) == ["trades/mail/offer.txt"]


def test_the_page_shows_all_mails_and_keeps_choices(log_in, alice):
    client = log_in(alice)
    page = pages.text(pages.get(client, "/me/mails"))
    assert "期限までに答えが必要なためです" in page
    assert "プッシュ通知はありません" in page

    chosen = {Kind.MESSAGE.value: "off", Kind.MATCHES.value: "daily"}
    done = pages.submit(client, "/me/mails", "/me/mails", **chosen)
    refused = pages.submit(client, "/me/mails", "/me/mails", message="never")

    assert done.status_code == 303
    assert refused.status_code == 422
    db.session.rollback()
    modes = queries.modes_of(alice.id)
    assert (modes[Kind.MESSAGE], modes[Kind.MATCHES]) == ("off", "daily")
    assert modes[Kind.SAVED_SEARCH] == "now"


def test_no_page_and_no_script_promises_a_push():
    """Scenario 29."""
    for folder in ("templates", "tradeboard/static", "tradeboard/pages/texts"):
        for file in (ROOT / folder).rglob("*.*"):
            if file.suffix in {".html", ".js", ".webmanifest", ".md"}:
                text = file.read_text(encoding="utf-8")
                found = re.findall(r"serviceWorker|PushManager|Notification\(", text)
                assert not found, file


def test_a_test_mail_is_sent_three_times_an_hour(log_in, alice):
    client = log_in(alice)

    answers = [pages.submit(client, "/me/mails", "/me/mails/test") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [303, 303, 303, 429]
    assert subjects(alice) == ["notifications/mail/test.txt"] * 3


def test_no_test_mail_goes_to_an_address_that_is_not_confirmed(log_in, app):
    nobody = make_account("nobody", confirmed=False)

    answer = pages.submit(log_in(nobody), "/me/mails", "/me/mails/test")

    assert answer.status_code == 403
    assert subjects(nobody) == []


def test_only_optional_mail_can_be_stopped_by_its_link(alice, inbox):
    tell(alice, MESSAGE, key="m")
    tell(alice, key="o")

    jobs.deliver_outbox(MONDAY)

    message, offer = sorted(
        inbox.mails, key=lambda mail: "List-Unsubscribe" not in mail
    )
    link = message["List-Unsubscribe"].strip("<>")
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link.startswith("http://127.0.0.1:8000/unsubscribe/")
    assert "この種類のメールを止める：" in message.get_content()
    assert message.get_content().strip().endswith(link)
    assert "List-Unsubscribe" not in offer
    assert "unsubscribe" not in offer.get_content()


def test_one_click_stops_a_kind_without_session_or_token(app, alice, inbox):
    tell(alice, MESSAGE, key="m")
    link = stop_link(inbox)
    stranger = app.test_client()

    asked = pages.get(stranger, link)
    assert "取引の新しいメッセージ" in asked
    assert count(MailChoice) == 0
    headers = {"Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site"}
    body = {"List-Unsubscribe": "One-Click"}
    for _ in range(2):
        done = stranger.post(link, data=body, headers=headers)
        assert done.status_code == 200
        assert "メールを止めました" in done.text
        assert "Set-Cookie" not in done.headers or "session" not in str(done.headers)

    db.session.rollback()
    assert queries.mode_of(alice.id, Kind.MESSAGE) is MailMode.OFF
    assert count(MailChoice) == 1


@pytest.mark.parametrize("token", ["x", SECRET, "é", "a" * 500])
def test_a_made_up_link_changes_nothing_and_tells_nothing(app, alice, token):
    client = app.test_client()
    answers = [
        client.get(f"/unsubscribe/{token}"),
        client.post(f"/unsubscribe/{token}"),
    ]

    assert {answer.status_code for answer in answers} == {200}
    assert all("何も変わりません" in answer.text for answer in answers)
    assert count(MailChoice) == 0


def test_a_link_outlives_a_new_key(alice, inbox, own_keys, app):
    tell(alice, MESSAGE, key="m")
    link = stop_link(inbox)
    keyfile.add(own_keys, "unsubscribe", now=MONDAY)

    assert "メールを止めました" in app.test_client().post(link).text


def test_a_ring_of_before_gets_its_missing_key(own_keys):
    content = own_keys.read_text().replace('"unsubscribe"', '"gone"')
    own_keys.write_text(content)

    assert "unsubscribe" not in keyring.read(own_keys).keys
    assert keyfile.complete(own_keys, now=MONDAY) == ["unsubscribe"]
    assert keyfile.complete(own_keys, now=MONDAY) == []
    assert keyring.read(own_keys).kid("unsubscribe") == "k1"


def test_the_daily_mail_comes_once_at_six_and_never_empty(app, inbox):
    dora = make_account("dora", language="en", time_zone="America/New_York")
    choose(dora, MailMode.DAILY)
    assert rules.due_since(SIX) == SIX
    assert rules.due_since(SIX - HOUR) == SIX - timedelta(days=1)

    tell(dora, MESSAGE, key="1", at=MONDAY + HOUR)
    assert accounts.send_digests(SIX - HOUR) == 0
    assert accounts.send_digests(SIX) == 1
    assert accounts.send_digests(SIX + HOUR) == 0
    assert accounts.send_digests(SIX + timedelta(days=1)) == 0

    jobs.deliver_outbox(SIX)
    [mail] = inbox.mails
    assert "bob" in mail.get_content()
    assert mail.get_content().count("http") == 2
    stop = mail["List-Unsubscribe"].strip("<>").partition("8000")[2]
    app.test_client().post(stop)
    db.session.rollback()
    assert queries.mode_of(dora.id, Kind.MESSAGE) is MailMode.OFF


def test_what_was_read_or_told_before_is_not_in_the_daily_mail(app, alice):
    tell(alice, MESSAGE, key="told at once", trade=1)
    choose(alice, MailMode.DAILY, at=MONDAY + HOUR)
    tell(alice, MESSAGE, key="read since", trade=2, at=MONDAY + 2 * HOUR)
    with transaction():
        services.read_where_it_leads(alice.id, "/trades/2#talk", now=MONDAY)

    assert accounts.send_digests(SIX) == 0
    assert subjects(alice) == [MESSAGE]
