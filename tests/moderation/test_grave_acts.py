"""Grave acts of staff have a reason in words, which all others of staff are told."""

import tomllib
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tests import pages
from tests.factories import count, give_factor, make_account
from tests.worlds import make_trade
from tradeboard.accounts.models import Account, Restriction, StaffReason
from tradeboard.accounts.rules.permissions import GRAVE, PERMITTED, Act
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services import reasons, suspension
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.moderation import services
from tradeboard.notifications.models import OutboxMail
from tradeboard.site.models import Announcement
from tradeboard.web import access

SAID = tomllib.loads((Path(__file__).parents[1] / "web" / "reasons.toml").read_text())
WORDS = "会員からの知らせで確かめた"
WEEK = timedelta(days=7)


@pytest.fixture
def boss(app):
    return make_account("boss", role=Role.ADMIN)


def doors(app):
    """Return every form of the desk, and the act that it is for."""
    return {
        rule.endpoint: Act(access.act_of(app, rule.endpoint))
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/desk") and "POST" in rule.methods
    }


def test_every_form_of_the_desk_needs_a_reason_or_says_why_not(app):
    found, listed = doors(app), [name for part in SAID.values() for name in part]
    reasons_given = {name: why for part in SAID.values() for name, why in part.items()}

    assert sorted(listed) == sorted(found)
    assert all(reasons_given.values())
    grave = {name for name, act in found.items() if act in GRAVE}
    assert grave - set(SAID["with_a_reason"]) == {"accounts_staff.try_address"}
    assert set(SAID["with_a_reason"]) <= grave
    # One is done on the server alone, and one by the form that suspends anybody.
    elsewhere = {Act.GIVE_ROLES, Act.SUSPEND_STAFF}
    assert {found[name] for name in grave} | elsewhere == GRAVE


def test_what_only_admins_may_is_grave_but_for_reading():
    admins_alone = PERMITTED[Role.ADMIN] - PERMITTED[Role.MODERATOR]

    assert admins_alone - GRAVE == {Act.READ_LOOKS}
    assert GRAVE - admins_alone == {Act.LIFT_SUSPENSIONS}


def announced():
    """Return the number of the announcement that stands, if one does."""
    return db.session.scalar(select(Announcement.id)) or 0


def form_of(name, person):
    """Return the page of a form, its address, and what is typed but the reason."""
    page = SAID["with_a_reason"][name].replace("<id>", str(person))
    now = clock.now()
    moments = {
        "starts": f"{now:%Y-%m-%dT%H:%M}",
        "ends": f"{now + timedelta(days=2):%Y-%m-%dT%H:%M}",
    }
    both = {"text_ja": "# 題", "text_en": "# Title"}
    return {
        "accounts_staff.add_domain": (
            page,
            page,
            None,
            {"domain": "x.example.com", "verdict": "relay"},
        ),
        "accounts_staff.remove_domain": (page, f"{page}/remove", None, {}),
        "desk.announce": (page, page, "do=publish", both | moments),
        "desk.change_settings": (page, page, None, {"name": "星のトレード"}),
        "desk.draft_terms": (page, page, "do=publish", both),
        "desk.end_announcement": (page, f"{page}/{announced()}/end", None, {}),
        "desk.reset_second_factor": (page, f"{page}/second-factor", None, {}),
        "desk.restore_person": (page, f"{page}/restore", None, {}),
        "desk.write_help": (page, page, "do=save", {"text": "# 決まり\n\n文"}),
    }[name]


# In this order, since what is ended or removed has to be there.
ORDER = sorted(SAID["with_a_reason"], key=lambda name: ("end_" in name, "rem" in name))


def test_each_grave_act_is_refused_without_a_reason_and_told_with_one(
    app, boss, alice, moderator, log_in
):
    give_factor(alice)
    desk, found = log_in(boss), doors(app)
    with transaction():
        by = db.session.get_one(Account, moderator.id)
        suspension.suspend(alice.id, "terms", until=None, by=by, now=clock.now())
    for number, name in enumerate(ORDER):
        page, action, button, typed = form_of(name, alice.id)
        why = "reason" if name == "accounts_staff.add_domain" else "why"
        html = pages.get(desk, page)
        if name == "desk.draft_terms":  # Its button stands on the page that compares.
            html = pages.send(desk, page, html, action, button="do=review", **typed)
            html = html.text

        for empty in ("", "  "):
            sent = typed | {why: empty}
            bare = pages.send(desk, page, html, action, button=button, **sent)
            assert (name, bare.status_code) == (name, 422)
            assert (name, 'aria-invalid="true"' in bare.text) == (name, True)
        assert count(StaffReason) == number

        sent = typed | {why: WORDS}
        done = pages.send(desk, page, bare.text, action, button=button, **sent)
        assert (name, done.status_code) == (name, 303)
        rows = db.session.scalars(select(StaffReason).order_by(StaffReason.id)).all()
        assert [row.act for row in rows[number:]] == [found[name].value]
        assert (rows[-1].by_id, rows[-1].words) == (boss.id, WORDS)
        told = select(OutboxMail).where(OutboxMail.template.endswith("staff_act.txt"))
        mails = db.session.scalars(told).all()
        assert {mail.account_id for mail in mails} == {moderator.id}
        assert len(mails) == number + 1
        db.session.rollback()


def test_staff_is_suspended_with_words_and_members_with_a_code(
    boss, moderator, alice, log_in
):
    desk = log_in(boss)
    typed = {"reason": "terms", "days": "7"}
    for person, fields, status in (
        (alice, {}, 303),
        (moderator, {}, 422),
        (moderator, {"why": WORDS}, 303),
    ):
        page = f"/desk/people/{person.id}"
        done = pages.submit(desk, page, f"{page}/suspend", **typed, **fields)
        assert (person.handle, done.status_code) == (person.handle, status)

    assert [row.act for row in db.session.scalars(select(StaffReason))] == [
        Act.SUSPEND_STAFF
    ]


def test_only_grave_acts_have_such_a_reason(boss):
    with pytest.raises(AssertionError), transaction():
        reasons.give(Act.WARN, "account:1", WORDS, by=boss, now=clock.now())


def test_suspending_anew_shortens_nothing(alice, moderator):
    now = clock.now()
    later, never = now + 4 * WEEK, None
    ends = []
    for until in (now + WEEK, later, now + WEEK, never, later):
        with transaction():
            suspension.suspend(alice.id, "terms", until=until, by=moderator, now=now)
        [row] = db.session.scalars(select(Restriction)).all()
        ends.append(row.until)
        db.session.rollback()

    assert ends == [now + WEEK, later, later, never, never]


def test_a_suspension_that_was_lifted_lengthens_none_after_it(alice, moderator):
    now = clock.now()
    with transaction():
        suspension.suspend(alice.id, "terms", until=None, by=moderator, now=now)
        suspension.restore(alice.id, WORDS, by=moderator, now=now)
        suspension.suspend(alice.id, "terms", until=now + WEEK, by=moderator, now=now)

    [row] = db.session.scalars(select(Restriction)).all()
    assert (row.until, row.ended_at) == (now + WEEK, None)


def test_whoever_has_traded_with_somebody_neither_suspends_nor_lifts(
    alice, bob, moderator, boss, log_in
):
    make_trade(moderator, alice)
    now = clock.now()
    with transaction(), pytest.raises(NotAllowed):
        services.suspend(alice.id, "terms", "", until=None, by=moderator, now=now)
    with transaction():
        services.suspend(alice.id, "terms", "", until=None, by=boss, now=now)
    with transaction(), pytest.raises(NotAllowed):
        services.lift_suspension(alice.id, WORDS, by=moderator, now=now)

    hers, page = log_in(moderator), f"/desk/people/{alice.id}"
    seen = pages.get(hers, page)
    assert f"{page}/suspend" not in seen
    assert f"{page}/restore" not in seen
    token = pages.find_form(seen, "/logout").values()["csrf_token"]
    for verb in ("suspend", "restore"):
        data = {"csrf_token": token, "reason": "terms", "days": "", "why": WORDS}
        assert hers.post(f"{page}/{verb}", data=data).status_code == 403
    db.session.rollback()
    assert db.session.get_one(Account, alice.id).standing is Standing.SUSPENDED


def test_nobody_lifts_without_words_what_is_not_there(alice, moderator):
    now = clock.now()
    with transaction(), pytest.raises(RuleBroken):
        suspension.restore(alice.id, " ", by=moderator, now=now)
