"""Roles: one table says who may do what, and everything asks it."""

import re
from pathlib import Path

import pytest

from tests import pages
from tests.factories import make_account
from tests.worlds import make_listing
from tradeboard.accounts import queries
from tradeboard.accounts.rules.permissions import PERMITTED, STAFF, Act, may
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services import suspension
from tradeboard.core import clock
from tradeboard.core.transaction import transaction
from tradeboard.web import access

PRODUCT = Path(__file__).parents[2] / "tradeboard"
# Where a role is given, read out or counted, but nothing is permitted by it.
NAMES_ROLES = {
    "accounts/models/people.py",
    "accounts/queries/forgetting.py",
    "accounts/queries/people.py",
    "accounts/queries/signing_in.py",
    "accounts/rules/permissions.py",
    "accounts/rules/standing.py",
    "accounts/services/admin.py",
    "accounts/services/registration.py",
    "cli/people.py",
    "demo/people.py",
    "demo/scene.py",
    "privacy/services/erasing.py",
    "profiles/queries.py",
}
# Where somebody counts as one of the team: shorter sessions, no holds, the desk's link.
NAMES_STAFF = {
    "accounts/models/people.py",
    "accounts/queries/signing_in.py",
    "accounts/services/holds.py",
    "accounts/services/second_factor.py",
    "accounts/services/sessions.py",
    "accounts/services/suspension.py",
    "accounts/views/login.py",
    "accounts/views/second_factor.py",
    "accounts/views/security.py",
    "app.py",
    "blacklist/rules/appeals.py",
    "blacklist/services/appeals.py",
    "demo/views.py",
    "web/access.py",
    "web/replica.py",
    "web/shell.py",
}


def test_members_may_nothing_moderators_less_than_admins_and_admins_everything():
    assert PERMITTED[Role.MEMBER] == frozenset()
    assert PERMITTED[Role.MODERATOR] < PERMITTED[Role.ADMIN] == set(Act)
    assert set(PERMITTED) == set(Role)
    assert {Role.MODERATOR, Role.ADMIN} == STAFF
    with pytest.raises(ValueError, match="an act that nobody wrote down"):
        may(Role.ADMIN, "an act that nobody wrote down")


@pytest.mark.parametrize("standing", list(Standing))
def test_whoever_is_suspended_or_has_left_may_nothing(standing):
    works = standing not in {Standing.SUSPENDED, Standing.CLOSED}

    assert {may(Role.ADMIN, act, standing) for act in Act} == {works}


def test_a_suspended_moderator_comes_in_again_and_finds_no_desk(
    app, moderator, alice, log_in
):
    boss, listing = make_account("boss", role=Role.ADMIN), make_listing(alice)
    before = log_in(moderator)
    assert pages.get(before, "/desk")
    with transaction():
        suspension.suspend(
            moderator.id, "terms", "調べています", until=None, by=boss, now=clock.now()
        )
    assert before.get("/desk").status_code == 303

    again = log_in(moderator)
    page = pages.get(again, "/me")

    assert 'href="/desk"' not in page
    for path in ("/desk", "/desk/people", f"/desk/people/{alice.id}", "/desk/audit"):
        assert again.get(path).status_code == 404
    token = pages.find_form(page, "/logout").values()["csrf_token"]
    data = {"csrf_token": token, "reason": "同じ募集です"}
    hiding = again.post(f"/desk/listings/{listing.id}/hide", data=data)
    assert hiding.status_code == 404
    assert "非表示にする" not in pages.get(again, f"/listings/{listing.id}")
    assert [person.id for person in queries.staff()] == [boss.id]
    assert queries.staff_ids() == {boss.id, moderator.id}


def test_every_page_of_the_desk_says_which_act_it_is_for(app):
    desk = {r.endpoint for r in app.url_map.iter_rules() if r.rule.startswith("/desk")}
    acts = {endpoint: access.act_of(app, endpoint) for endpoint in desk}
    elsewhere = set(app.view_functions) - desk

    assert [endpoint for endpoint, act in acts.items() if act is None] == []
    assert {Act(act) for act in acts.values()} <= set(Act)
    assert [one for one in elsewhere if access.act_of(app, one)] == []


def test_a_page_of_the_desk_without_an_act_is_there_for_nobody(app, log_in, moderator):
    view = app.view_functions["desk.tools"]
    hers = log_in(moderator)
    assert hers.get("/desk/tools").status_code == 200

    app.view_functions["desk.tools"] = lambda: "open"
    try:
        assert hers.get("/desk/tools").status_code == 404
    finally:
        app.view_functions["desk.tools"] = view


def test_nothing_else_compares_roles():
    roles, staff = set(), set()
    for module in PRODUCT.rglob("*.py"):
        text, name = module.read_text("utf-8"), str(module.relative_to(PRODUCT))
        if re.search(r"\bRole\.[A-Z]|\.role (?:is|==|!=|in)\b", text):
            roles.add(name)
        if re.search(r"\bis_staff\b", text):
            staff.add(name)

    assert roles - NAMES_ROLES == set()
    assert staff - NAMES_STAFF == set()
