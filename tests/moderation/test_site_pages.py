"""Admins say something of the site; moderators do not even find the pages."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import pages
from tests.factories import agree, count, make_account, make_session
from tradeboard.accounts.rules.standing import Role
from tradeboard.audit.models import AuditRow
from tradeboard.core import clock, drafts
from tradeboard.core.db import db
from tradeboard.core.japan import JAPAN
from tradeboard.core.transaction import transaction
from tradeboard.moderation import jobs
from tradeboard.moderation.rules import Queue
from tradeboard.moderation.services import site as services
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.terms import jobs as terms_jobs
from tradeboard.terms import queries as terms
from tradeboard.terms import services as terms_services

ADMINS_ALONE = ("announcements", "site", "help", "help/rules", "terms")
A_DAY = timedelta(days=1)


@pytest.fixture
def boss(app):
    return make_account("boss", role=Role.ADMIN)


@pytest.fixture
def client(boss, log_in):
    return log_in(boss)


def mails(template):
    db.session.rollback()
    found = select(OutboxMail).where(OutboxMail.template == template)
    return db.session.scalars(found).all()


@pytest.mark.parametrize("page", ADMINS_ALONE)
def test_moderators_do_not_find_what_is_for_admins(client, moderator, log_in, page):
    assert client.get(f"/desk/{page}").status_code == 200
    assert log_in(moderator).get(f"/desk/{page}").status_code == 404


def test_an_announcement_is_looked_at_shown_to_everybody_and_ended(app, client):
    page = "/desk/announcements"
    now = clock.now().astimezone(JAPAN)
    typed = {
        "text_ja": "夜に止まります",
        "text_en": "It stops at night",
        "starts": f"{now - A_DAY:%Y-%m-%dT%H:%M}",
        "ends": f"{now + A_DAY:%Y-%m-%dT%H:%M}",
        "why": "作業のため",
    }

    wrong = pages.submit(
        client, page, page, button="do=publish", **typed | {"ends": "x"}
    )
    seen = pages.submit(client, page, page, button="do=preview", **typed)
    assert (wrong.status_code, seen.status_code) == (422, 200)
    assert "夜に止まります" not in app.test_client().get("/login").text

    done = pages.send(client, page, seen.text, page, button="do=publish")
    assert done.status_code == 303
    visitor = app.test_client().get("/login", headers={"Accept-Language": "en"})
    assert "It stops at night" in visitor.text

    pages.submit(client, page, f"{page}/1/end", why="早く済んだ")
    assert "止まります" not in app.test_client().get("/login").text
    assert count(AuditRow, AuditRow.object == "announcement:1") == 4


def test_settings_are_changed_with_a_history_and_registration_obeys(app, client):
    page = "/desk/site"

    typed = {"registration": "closed", "name": "星のトレード", "language": "ja"}
    bare = pages.submit(client, page, page, **typed)
    done = pages.submit(client, page, page, **typed, why="夏休み")
    shown = pages.text(pages.get(client, page))

    assert (bare.status_code, done.status_code) == (422, 303)
    assert "新しい登録openclosedboss" in shown.replace(" ", "")
    assert count(AuditRow, AuditRow.action == "setting.changed") == 2
    assert app.test_client().get("/register").status_code == 403
    long = pages.submit(client, page, page, name="あ" * 41)
    assert long.status_code == 422


def test_a_help_page_is_rewritten_seen_first_and_brought_back(app, client):
    page = "/desk/help/rules?lang=ja"
    text = "# 決まり\n\n<b>短く</b> [x](javascript:alert(1))"
    typed = {"text": text, "why": "長すぎた"}

    seen = pages.submit(client, page, "/desk/help/rules", button="do=preview", **typed)
    assert "&lt;b&gt;短く&lt;/b&gt;" in seen.text
    assert 'href="javascript' not in seen.text
    pages.send(client, page, seen.text, "/desk/help/rules", button="do=save")
    visitor = app.test_client()
    visitor.set_cookie("language", "ja")
    assert "短く" in pages.get(visitor, "/help/rules")

    pages.submit(client, page, "/desk/help/rules", button="do=shipped", why="まちがい")
    assert "短く" not in pages.get(visitor, "/help/rules")
    assert "短く" in pages.get(client, f"{page}&version=1")
    nothing = pages.submit(client, page, "/desk/help/rules", button="do=save", text="")
    assert nothing.status_code == 422
    assert client.get("/desk/help/nothing").status_code == 404


def test_terms_are_drafted_compared_and_put_in_force_once(client, boss):
    page, first = "/desk/terms", terms.newest()
    new = first.text_ja + "\n新しい条です。\n"
    db.session.rollback()

    pages.submit(client, page, page, button="do=draft", text_ja=new)
    assert "新しい条です。" in pages.get(client, page)
    seen = pages.submit(client, page, page, button="do=review")
    assert "<ins>新しい条です。</ins>" in seen.text
    assert terms.newest_number() == 1

    for _ in range(2):
        why = {"why": "送料の決まりが変わった"}
        done = pages.send(client, page, seen.text, page, button="do=publish", **why)
        assert done.status_code == 303
    db.session.rollback()
    assert terms.newest_number() == 2
    assert drafts.find(boss.id, services.TERMS_DRAFT, 0) is None


def test_active_members_are_told_of_new_terms_once(alice, bob):
    make_session(alice)
    now = clock.now()
    assert terms_jobs.tell_of_version(now) == 0
    with transaction():
        terms_services.publish("# 規約", "# Terms", now)
        agree(alice, 2)

    told = [terms_jobs.tell_of_version(now) for _ in range(2)]

    assert told == [1, 0]
    [mail] = mails("terms/mail/new_version.txt")
    assert mail.account_id == alice.id
    assert "/terms" in mailer.render(mail)[1]
    make_session(bob)
    assert terms_jobs.tell_of_version(now + 8 * A_DAY) == 0


def test_moderators_hear_of_waiting_queues_once_a_day(moderator, boss, monkeypatch):
    morning = clock.now().astimezone(JAPAN).replace(hour=9, minute=0)
    queue = Queue("reports", 3, morning - 5 * A_DAY)
    monkeypatch.setattr("tradeboard.moderation.queries.queues", lambda now: [queue])

    assert jobs.tell_of_queues(morning.replace(hour=7)) == 0
    for hour in (9, 10):
        jobs.tell_of_queues(morning.replace(hour=hour))
    jobs.tell_of_queues(morning + A_DAY)

    found = mails("moderation/mail/queue_waiting.txt")
    assert len(found) == 4
    body = mailer.render(found[0])[1]
    assert "会員からの知らせ：3件" in body
    assert "遅れています" in body


def test_admins_hear_once_a_day_that_the_sweep_is_red(moderator, boss):
    now = clock.now()

    assert jobs.tell_of_red(now) == 1
    jobs.tell_of_red(now)

    [mail] = mails("moderation/mail/scheduler_red.txt")
    assert mail.account_id == boss.id
    assert "/desk/system" in mailer.render(mail)[1]
