"""Staff looks at what is private: it is recorded, and nobody judges near people."""

import pytest

from tests import pages
from tests.blacklist.cases import listed
from tests.factories import MONDAY, in_transaction, make_account
from tests.moderation.matches import make_device, make_hold, use
from tests.worlds import make_trade
from tradeboard.accounts.models import Account, StaffReason
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import blocking, looking, reasons
from tradeboard.audit import queries as audit
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.privacy.queries import SECTIONS
from tradeboard.trades import queries as trades


def looks_at(person):
    """Return at which things of a person somebody has looked, and who."""
    db.session.rollback()
    rows = audit.rows_of(f"account:{person.id}", looking.LOOK)
    return {(row.body["thing"], row.actor_id) for row in rows}


def test_a_look_is_recorded_for_each_person_once_and_told_to_the_person(
    alice, bob, moderator, log_in
):
    entry, desk, boss = (
        listed(alice, bob),
        log_in(moderator),
        make_account("boss", role=Role.ADMIN),
    )
    trade = f"trade:{entry.trade_id}"

    for _ in range(2):
        assert desk.get(f"/desk/entries/{entry.id}").status_code == 200
        assert desk.get(f"/desk/trades/{entry.trade_id}").status_code == 200
    desk.get(f"/desk/people/{alice.id}")
    log_in(alice).get(f"/trades/{entry.trade_id}")

    both = {(f"entry:{entry.id}", moderator.id), (trade, moderator.id)}
    assert looks_at(bob) == both
    assert looks_at(alice) == both | {(f"account:{alice.id}", moderator.id)}
    copy = list(SECTIONS["looks"](db.session.get(Account, bob.id)))
    assert {row["thing"] for row in copy} == {f"entry:{entry.id}", trade}
    assert "担当者が見た記録" in pages.get(log_in(boss), f"/desk/people/{bob.id}")
    assert "担当者が見た記録" not in pages.get(desk, f"/desk/people/{bob.id}")


def test_whom_an_address_or_a_browser_leads_to_was_looked_at(
    alice, bob, moderator, log_in
):
    device = make_device("D-2222-2222")
    for person in (alice, bob):
        use(person, device, MONDAY)
    desk = log_in(moderator)

    one = pages.submit(desk, "/desk/people", "/desk/people", typed="Alice@example.com")
    assert one.location == f"/desk/people/{alice.id}"
    look = (f"account:{alice.id}", moderator.id)
    assert (looks_at(alice), looks_at(bob)) == ({look}, set())

    for typed in (device.code, "nobody@example.com", "moderator@example.com"):
        pages.submit(desk, "/desk/people", "/desk/people", typed=typed)
    assert looks_at(alice) == {look}
    assert looks_at(bob) == {(f"account:{bob.id}", moderator.id)}
    assert looks_at(moderator) == set()


def test_whoever_has_traded_or_a_block_with_one_of_them_leaves_it_to_others(
    alice, bob, charlie, moderator
):
    entry = listed(alice, bob)
    two = (entry.account_id, alice.id)
    friend, foe, far = (
        make_account(name, role=Role.MODERATOR) for name in ("friend", "foe", "far")
    )
    make_trade(bob, friend)
    with in_transaction():
        blocking.block(foe.id, by=alice, now=clock.now())

    assert [trades.may_judge(one, two) for one in (friend, foe, far, bob)] == [
        False,
        False,
        True,
        False,
    ]
    with in_transaction():
        for one in (far, moderator):
            blocking.block(bob.id, by=one, now=clock.now())
    assert trades.may_judge(friend, two)  # All are near: somebody must.
    assert not trades.may_judge(bob, two)


def test_nobody_opens_the_own_match_or_trade(alice, bob, moderator, log_in):
    desk = log_in(moderator)
    hold = make_hold(alice, moderator, now=clock.now())
    trade = make_trade(moderator, bob)

    assert desk.get(f"/desk/holds/{hold.id}").status_code == 404
    assert f"/desk/holds/{hold.id}" not in pages.get(desk, "/desk/holds")
    assert desk.get(f"/desk/trades/{trade.id}").status_code == 403
    assert looks_at(bob) == set()


def test_a_grave_act_needs_a_reason_that_all_others_are_told(moderator, bob):
    boss = make_account("boss", role=Role.ADMIN)
    act, thing, now = Act.CHANGE_SETTINGS, "site", clock.now()
    with pytest.raises(RuleBroken), transaction():
        reasons.give(act, thing, " ", by=boss, now=now)

    with transaction():
        reasons.give(act, thing, "夏休みの間だけ閉じる", by=boss, now=now)

    db.session.rollback()
    [row] = db.session.scalars(db.select(StaffReason)).all()
    [mail] = db.session.scalars(db.select(OutboxMail)).all()
    assert mail.account_id == moderator.id
    assert "夏休みの間だけ閉じる" in mailer.render(mail)[1]
    [recorded] = audit.rows_about(thing)
    assert recorded.body["reason"] == row.id
    assert "夏休み" not in str(recorded.body)
