"""What is new: written beside each mail, read once for every browser."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import pages
from tests.factories import A_MOMENT, MONDAY, count
from tests.worlds import make_trade
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.transaction import transaction
from tradeboard.notifications import jobs, mailer, queries, rules, services
from tradeboard.notifications.models import Notice, OutboxMail
from tradeboard.notifications.rules.notices import NAMED
from tradeboard.trades.services import messages

ROOT = Path(__file__).parents[2] / "templates"
MAILS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.glob("*/mail/*.txt")
    if not path.name.startswith("_")
)
A_DAY = timedelta(days=1)
SECRET = "c2VjcmV0LXRva2VuLXRoYXQtb3BlbnM"


def tell(reader, template="trades/mail/offer.txt", key="a", at=MONDAY, **facts):
    facts = {"trade": 3, "partner": "bob", "number": 2, "answer_by": MONDAY, **facts}
    with transaction():
        services.queue_mail(reader, template, key=key, now=at, **facts)


def notices(reader):
    db.session.rollback()
    return queries.notices_of(reader.id)


def test_every_mail_is_a_notice_or_has_its_reason_not_to_be():
    assert set(rules.NOTICES) & rules.WITHOUT == set()
    assert set(MAILS) <= set(rules.NOTICES) | rules.WITHOUT
    assert set(rules.OPTIONAL) <= set(rules.NOTICES)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_notice_is_a_sentence_without_what_a_mail_alone_may_say(app, language):
    named = dict.fromkeys(NAMED, 7) | {"partner": "山田", "sender": "山田"}
    named |= {"granted": True, "kind": "cancel", "title": "竜", "name": "竜"}
    told = dict.fromkeys(("entry", "hold", "leg", "listing", "trade"), 7)
    with app.test_request_context(headers={"Accept-Language": language}):
        for template in sorted(set(MAILS) & set(rules.NOTICES)):
            notice = SimpleNamespace(template=template, facts=rules.kept_facts(named))
            said = mailer.sentence(notice)

            assert said, template
            assert "\n" not in said, template
            assert "http" not in said, template
            assert rules.path_of(template, told).startswith("/"), template


def test_a_notice_is_written_with_its_mail_and_keeps_no_secret(app, alice):
    tell(alice, "blacklist/mail/listed.txt", entry=5, token=SECRET, words="写し")

    [notice] = notices(alice)
    assert (notice.path, notice.facts["entry"]) == ("/blacklist/mine/5", 5)
    assert SECRET not in str(notice.facts) + notice.path
    assert "写し" not in str(notice.facts)
    assert count(OutboxMail) == 1


def test_the_same_key_is_noted_once_and_the_erased_get_none(app, alice, bob):
    tell(alice)
    tell(alice)
    with transaction():
        bob.email_wire = ""
    tell(bob, key="b")

    assert len(notices(alice)) == 1
    assert notices(bob) == []


def test_messages_are_told_once_an_hour_while_nobody_reads(app, alice):
    def message(minutes):
        at = MONDAY + timedelta(minutes=minutes)
        tell(alice, "trades/mail/message.txt", key=f"m{minutes}", at=at)
        return count(OutboxMail)

    assert [message(n) for n in (0, 1, 59)] == [1, 1, 1]
    assert message(60) == 2

    with transaction():
        path = "/trades/3#talk"
        assert services.read_where_it_leads(alice.id, path, now=MONDAY) == 2
    assert message(61) == 3


def test_reading_in_the_room_reads_the_notice_too(app, alice, bob):
    trade_id = make_trade(alice, bob).id
    with transaction():
        said = messages.say(trade_id, "届きました。", by=bob, now=MONDAY)
        number = said.id
    assert queries.unread_count(alice.id) == 1

    with transaction():
        messages.read(trade_id, number, by=alice, now=MONDAY)
    assert queries.unread_count(alice.id) == 0


def test_read_on_one_browser_is_read_on_the_other(log_in, alice, bob):
    tell(alice)
    tell(alice, "trades/mail/accepted.txt", key="b", call_by=MONDAY)
    phone, desktop = log_in(alice), log_in(alice)
    page = pages.get(phone, "/notices")
    first, second = notices(alice)

    assert "bobさんと合意しました" in pages.text(page)
    assert page.index("合意しました") < page.index("申し込みが届きました")
    assert page.count("未読：") == 2
    assert '<span class="quiet-count">2<' in page

    opened = pages.send(phone, "/notices", page, "/notices/open", notice=first.id)
    assert opened.status_code == 303
    assert opened.location == "/trades/3/call"
    there = pages.get(desktop, "/notices")
    assert there.count("未読：") == 1
    assert '<a class="alone" href="/trades/3/call">' in there

    theirs = pages.get(log_in(bob), "/notices")
    assert "新着はありません" in theirs
    with pytest.raises(NotFound), transaction():
        services.open_notice(bob.id, second.id, now=MONDAY)


def test_all_read_twice_leaves_nothing_both_times(log_in, alice):
    def form():
        return pages.form_fields(pages.get(client, "/notices"), "/notices/read")

    client = log_in(alice)
    tell(alice)
    earlier = form()
    tell(alice, key="later")
    left = []
    for sent in (earlier, form(), {"csrf_token": earlier["csrf_token"]}):
        client.post("/notices/read", data=sent)
        db.session.rollback()
        left.append(queries.unread_count(alice.id))

    # What came after the page was shown stays unread; then nothing is left, twice.
    assert left == [1, 0, 0]
    assert "quiet-count" not in pages.get(client, "/notices")


def test_older_notices_go_on_by_keyset_and_reading_marks_nothing(
    log_in, alice, monkeypatch
):
    monkeypatch.setattr("tradeboard.notifications.views.PAGE_SIZE", 2)
    for key in "abc":
        tell(alice, key=key, trade=ord(key))
    client = log_in(alice)

    first = pages.get(client, "/notices")
    more = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    second = pages.get(client, more)

    assert [first.count("未読："), second.count("未読：")] == [2, 1]
    assert queries.unread_count(alice.id) == 3


def test_notices_are_kept_for_ninety_days(app, alice):
    tell(alice)

    assert jobs.forget_notices(MONDAY + rules.NOTICES_KEPT - A_MOMENT) == 0
    assert jobs.forget_notices(MONDAY + rules.NOTICES_KEPT) == 1
    assert count(Notice) == 0


def test_todo_and_new_are_one_tap_from_everywhere(log_in, alice):
    client = log_in(alice)
    for url in ("/", "/me", "/trades", "/todo", "/notices", "/help/rules"):
        page = pages.get(client, url)

        assert 'href="/todo"' in page
        assert 'href="/notices"' in page
