import pytest

from tests.factories import MONDAY, count, make_account
from tests.page_forms import find_form
from tradeboard.accounts.rules.standing import Role
from tradeboard.audit import services as audit
from tradeboard.audit.models import AuditRow
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.transaction import transaction
from tradeboard.notifications import services as notifications
from tradeboard.notifications.models import OutboxMail

PAGES = ("/desk", "/desk/outbox", "/desk/system", "/desk/audit")
SECRET = "s3cret_" * 5


@pytest.fixture
def desk(moderator, log_in):
    return log_in(moderator)


@pytest.fixture
def dead_mail(alice):
    with transaction():
        notifications.queue_mail(
            alice, "no/such.txt", key="k", now=clock.now(), token=SECRET
        )
        db.session.flush()
        mail = db.session.scalars(db.select(OutboxMail)).one()
        notifications.mark_failed(mail.id, "550 no", now=clock.now(), for_good=True)
    return mail.id


@pytest.mark.parametrize("page", PAGES)
def test_moderators_see_each_page(desk, page):
    answer = desk.get(page)

    assert answer.status_code == 200
    assert 'href="/desk/tools"' in answer.text


def test_one_page_leads_to_all_that_hold_no_queue(desk, log_in):
    own = desk.get("/desk/tools").text
    admins = log_in(make_account("boss", role=Role.ADMIN)).get("/desk/tools").text

    for page in PAGES[1:]:
        assert f'href="{page}"' in own
    assert "/desk/domains" in admins
    assert "/desk/domains" not in own


@pytest.mark.parametrize("page", PAGES)
def test_members_and_strangers_do_not(app, alice, log_in, page):
    assert log_in(alice).get(page).status_code == 404
    assert app.test_client().get(page).status_code in {302, 303, 401}


def test_the_desk_warns_when_no_job_runs(desk):
    assert "自動処理が動いていません" in desk.get("/desk").text

    with transaction():
        db.session.add(JobRun(name="remind", ok_at=clock.now()))

    assert "自動処理が動いていません" not in desk.get("/desk").text


def test_the_number_of_statements_does_not_grow(desk, statements):
    def row(number):
        audit.record("look", f"entry:{number}", by_id=None, now=MONDAY)
        notifications.queue_mail_to("a@x.jp", "ja", "t", key=f"{number}", now=MONDAY)

    for page in PAGES:
        with transaction():
            row(f"{page} first")
        with statements() as few:
            assert desk.get(page).status_code == 200
        with transaction():
            for number in range(30):
                row(f"{page} {number}")
        with statements() as many:
            assert desk.get(page).status_code == 200

        assert len(few) == len(many)


def test_a_mail_that_was_given_up_can_be_sent_again(desk, dead_mail):
    page = desk.get(f"/desk/outbox/{dead_mail}").text
    form = find_form(page, f"/desk/outbox/{dead_mail}/retry")

    first = desk.post(form.action, data=form.values())
    second = desk.post(form.action, data=form.values())

    assert first.status_code == second.status_code == 303
    db.session.rollback()
    mail = db.session.get(OutboxMail, dead_mail)
    assert (mail.dead_at, mail.tries) == (None, 0)
    assert count(AuditRow, AuditRow.action == "retry mail") == 1


def test_the_preview_tells_no_secret(app, desk, dead_mail, monkeypatch):
    template = app.jinja_env.from_string("件名\n\n{{ link('/reset/' ~ token) }}")
    monkeypatch.setattr(app.jinja_env, "get_template", _instead(app, template))

    page = desk.get(f"/desk/outbox/{dead_mail}").text

    assert "/reset/…" in page
    assert SECRET not in page


def _instead(app, template):
    real = app.jinja_env.get_template

    def get(name, *args, **kwargs):
        return template if name == "no/such.txt" else real(name, *args, **kwargs)

    return get


def test_a_mail_whose_text_cannot_be_made_says_so(desk, dead_mail):
    assert "TemplateNotFound" in desk.get(f"/desk/outbox/{dead_mail}").text


def test_an_unknown_mail_is_not_found(desk):
    assert desk.get("/desk/outbox/9").status_code == 404


def test_the_audit_log_goes_on_to_its_end(desk):
    with transaction():
        for number in range(120):
            audit.record("look", f"entry:{number}", by_id=None, now=MONDAY)

    seen, url = [], "/desk/audit"
    while url:
        page = desk.get(url).text
        seen += [n for n in range(120) if f"<code>entry:{n}</code>" in page]
        more = page.partition('rel="next"')[0].rpartition('href="')[2]
        url = more.partition('"')[0] if 'rel="next"' in page else None

    assert seen != sorted(seen)
    assert sorted(seen) == list(range(120))


def test_a_made_up_page_of_the_audit_log_is_the_first(desk):
    assert desk.get("/desk/audit?before=x").status_code == 200


def test_actors_stand_there_by_name(desk):
    dora = make_account("dora")
    with transaction():
        audit.record("look", "entry:1", by_id=dora.id, now=MONDAY, why="x")

    page = desk.get("/desk/audit").text

    assert "dora" in page
    assert "why: x" in page
