"""What admins learn of the audit log: anchors, checks, and the page."""

from datetime import timedelta

import pytest

from tests import pages
from tests.audit import chains
from tests.audit.chains import record
from tests.factories import MONDAY, make_account
from tradeboard.accounts.rules.standing import Role
from tradeboard.audit import anchors
from tradeboard.audit.rules import ChainBroken
from tradeboard.core.db import db
from tradeboard.moderation import queries
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.scheduler import turns
from tradeboard.scheduler.timetable import JOBS

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def admin(app):
    return make_account("root", role=Role.ADMIN, language="en")


def perform(name, now=MONDAY):
    db.session.rollback()
    return turns.perform(JOBS[name], now).done


def mails(template):
    db.session.rollback()
    found = db.select(OutboxMail).order_by(OutboxMail.id)
    name = f"moderation/mail/{template}.txt"
    return [mail for mail in db.session.scalars(found) if mail.template == name]


def test_an_anchor_is_made_each_hour_and_after_an_act_of_staff(app, alice, moderator):
    path = app.config["AUDIT_ANCHORS"]
    assert perform("anchor-audit") == 0

    record("entry:1", by_id=alice.id)
    assert perform("anchor-audit") == 1
    record("entry:2", by_id=alice.id)
    assert perform("anchor-audit", MONDAY + MINUTE) == 0
    record("entry:3", by_id=moderator.id)
    assert perform("anchor-audit", MONDAY + 2 * MINUTE) == 1
    assert perform("anchor-audit", MONDAY + 3 * MINUTE) == 0
    record("entry:4", by_id=None)
    assert perform("anchor-audit", MONDAY + 2 * MINUTE + HOUR) == 1

    assert [anchor.seq for anchor in anchors.read(path)] == [1, 3, 4]
    assert chains.verify(*anchors.read(path)) is None


def test_admins_get_the_newest_anchor_once(app, admin, moderator):
    assert perform("mail-anchor") == 0
    record("entry:1")
    perform("anchor-audit")

    perform("mail-anchor")
    perform("mail-anchor", MONDAY + 24 * HOUR)

    [mail] = mails("audit_anchor")
    assert mail.account_id == admin.id
    head = chains.anchor()
    assert (mail.facts["seq"], mail.facts["hash"]) == (1, head.hash)
    assert head.hash in mailer.render(mail)[1]


def test_a_log_that_was_changed_is_told_once_and_stands_there_in_red(
    app, admin, moderator, log_in, caplog
):
    record("entry:1", "entry:2", "entry:3")
    perform("anchor-audit")
    assert perform("verify-audit") == 3
    desk = log_in(moderator)
    page = pages.text(pages.get(desk, "/desk/audit"))
    assert "3番まで合っています" in page

    chains.run("DELETE FROM audit_row WHERE seq = 2")
    for _ in range(2):
        with pytest.raises(ChainBroken):
            perform("verify-audit")

    assert "row 2, missing" in caplog.text
    [mail] = mails("audit_broken")
    assert mail.account_id == admin.id
    subject, body = mailer.render(mail)
    assert "2" in subject
    assert "/desk/audit" in body
    page = pages.text(pages.get(desk, "/desk/audit"))
    assert "監査ログが合いません。" in pages.get(desk, "/desk")
    assert "監査ログが合いません。 2番：この番号の行がありません。" in page


def test_a_log_older_than_its_anchor_gets_no_new_anchor(app, admin, alice):
    path = app.config["AUDIT_ANCHORS"]
    record("entry:1", "entry:2")
    perform("anchor-audit")
    chains.empty()
    record("entry:3", by_id=alice.id)

    with pytest.raises(ChainBroken, match="2 older"):
        perform("anchor-audit", MONDAY + HOUR)

    assert len(list(anchors.read(path))) == 1
    assert len(mails("audit_broken")) == 1
    db.session.rollback()
    assert queries.chain_state().broken.seq == 2


def test_the_log_can_be_narrowed_down(app, alice, moderator, log_in):
    record(*("entry:1" for _ in range(60)), by_id=alice.id)
    record("entry:2", by_id=moderator.id)
    desk = log_in(moderator)

    def numbers(query):
        page = pages.get(desk, f"/desk/audit{query}")
        rows = page.count('data-label="番号"')
        return rows, 'rel="next"' in page

    assert numbers("") == (50, True)
    assert numbers("?object=entry:1") == (50, True)
    assert numbers("?object=entry:1&who=alice&before=11") == (10, False)
    assert numbers("?who=MOD") == (1, False)
    assert numbers("?who=nobody") == (0, False)
    assert "object=entry:1" in pages.get(desk, "/desk/audit?object=entry:1").replace(
        "%3A", ":"
    )
