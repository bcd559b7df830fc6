"""Leaving: what happens at once, and what stays for those who need it."""

import pytest
from sqlalchemy import select

from tests import pages
from tests.blacklist import cases
from tests.factories import A_MOMENT, MONDAY, PASSWORD, count, look_anew, make_account
from tests.listings import boards
from tests.races import race
from tests.trades import rooms
from tests.trades.stages import items
from tests.worlds import A_DAY, make_listing
from tradeboard.accounts import passwords, queries, tokens
from tradeboard.accounts.models import (
    Account,
    Device,
    DeviceName,
    Handle,
    MailedToken,
    RecoveryCode,
    Session,
)
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services import naming, suspension
from tradeboard.audit.models import AuditRow
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState
from tradeboard.notifications.models import OutboxMail
from tradeboard.profiles import services
from tradeboard.trades import queries as trades
from tradeboard.trades.services import negotiation


@pytest.fixture
def dora(app):
    """She has a password, and leaves."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def leave(client, password=PASSWORD):
    return pages.submit(client, "/me/close", "/me/close", password=password)


def now_of(account):
    look_anew()
    return db.session.get_one(Account, account.id)


def test_whoever_leaves_is_signed_out_everywhere(log_in, dora):
    here, there = log_in(dora), log_in(dora)

    answer = leave(here)

    assert (answer.status_code, answer.location) == (303, "/")
    assert "退会しました" in pages.get(here, "/")
    for client in (here, there):
        assert client.get("/me").location == "/login?next=/me"
    assert count(Session, Session.revoked_at.is_(None)) == 0
    assert now_of(dora).standing is Standing.CLOSED


@pytest.mark.parametrize("login", ["dora", "dora@example.com"])
def test_a_closed_account_cannot_log_in(app, log_in, dora, login):
    leave(log_in(dora))

    answer = pages.submit(
        app.test_client(), "/login", "/login", email=login, password=PASSWORD
    )

    assert answer.status_code == 422


def test_mailed_links_are_void_and_none_is_sent_any_more(app, log_in, dora):
    with transaction():
        token = tokens.issue(dora, "reset", now=clock.now())

    leave(log_in(dora))

    visitor = app.test_client()
    assert visitor.get(f"/reset/{token}").status_code == 410
    pages.submit(visitor, "/reset", "/reset", email="dora@example.com")
    assert count(MailedToken, MailedToken.used_at.is_(None)) == 0


def test_the_address_is_told(log_in, dora):
    leave(log_in(dora))

    mail = db.session.scalars(select(OutboxMail)).one()
    assert (mail.template, mail.to) == ("accounts/mail/closed.txt", "dora@example.com")


def test_another_password_closes_nothing(log_in, dora):
    client = log_in(dora)

    answer = leave(client, "not her password")

    assert answer.status_code == 422
    assert "いまのパスワードが違います" in answer.text
    assert pages.get(client, "/me")


def test_listings_leave_the_board_and_drafts_are_gone(app, log_in, dora):
    posted, draft = boards.post(dora), boards.draft(dora)

    leave(log_in(dora))

    visitor = app.test_client()
    assert visitor.get(f"/listings/{posted}").status_code == 404
    assert "蒼天の竜王" not in pages.get(visitor, "/")
    assert boards.listing(posted).state is ListingState.WITHDRAWN
    assert db.session.get(Listing, draft) is None


def test_the_profile_says_that_nobody_is_there_any_more(app, log_in, dora):
    leave(log_in(dora))

    answer = app.test_client().get("/u/dora")

    assert answer.status_code == 404
    assert "このアカウントは退会しました" in answer.text


def test_the_name_stays_reserved_and_the_mailbox_is_free(log_in, dora, alice):
    with transaction():
        naming.rename(dora, "みなと", now=MONDAY)
    leave(log_in(dora))

    for name in ("dora", "ミナト"):
        with pytest.raises(RuleBroken), transaction():
            naming.rename(alice, name, now=MONDAY)
    assert queries.find_by_mailbox("dora@example.com") is None
    again = make_account("dora2", email="dora@example.com")
    assert queries.find_confirmed("dora@example.com").id == again.id
    assert count(Handle, Handle.account_id == dora.id) == 2


def test_leaving_is_no_way_around_a_suspension(app, moderator):
    emil = make_account("emil")
    until = MONDAY + 7 * A_DAY
    with transaction():
        suspension.suspend(emil.id, "terms", until=until, by=moderator, now=MONDAY)
    with transaction():
        services.close(now_of(emil), now=MONDAY)

    seen = [
        queries.watched_mailbox("emil@example.com", now=moment) is not None
        for moment in (MONDAY, until - A_MOMENT, until)
    ]
    assert seen == [True, True, False]

    with transaction():
        suspension.restore(emil.id, "違う人だった", by=moderator, now=MONDAY)

    assert queries.watched_mailbox("emil@example.com", now=MONDAY) is None


def test_what_is_of_use_to_nobody_else_is_erased(log_in, dora):
    now = clock.now()
    with transaction():
        device = Device(key="x", kid="k", code="D-1", first_seen=now, last_seen=now)
        db.session.add(device)
        db.session.flush()
        db.session.add(DeviceName(account_id=dora.id, device_id=device.id, name="居間"))
        db.session.add(RecoveryCode(account_id=dora.id, code_hash="y"))

    leave(log_in(dora))

    assert (count(DeviceName), count(RecoveryCode)) == (0, 0)
    assert now_of(dora).password_hash == "!"


def test_a_running_trade_is_finished_first(log_in, dora, alice):
    client = log_in(dora)
    page = pages.get(client, "/me/close")
    trade_id = rooms.propose(alice, client)

    answer = pages.send(client, "/me/close", page, "/me/close", password=PASSWORD)

    words = pages.text(answer.text)
    assert answer.status_code == 422
    assert "取引がすべて終わると退会できます" in words
    assert f"取引 {trade_id}" in words
    assert 'name="password"' not in answer.text
    assert now_of(dora).closed_at is None


def test_nobody_who_runs_the_board_alone_leaves(app):
    first = make_account("root1", role=Role.ADMIN)

    with pytest.raises(RuleBroken), transaction():
        services.close(first, now=MONDAY)

    make_account("root2", role=Role.ADMIN)
    with transaction():
        services.close(first, now=MONDAY)
    assert [admin.handle for admin in queries.admins()] == ["root2"]


def test_a_standing_entry_stays_with_its_name_and_devices(app, alice, bob):
    entry = cases.listed(alice, bob)
    with transaction():
        services.close(bob, now=entry.entered_at)
    db.session.rollback()

    kept = cases.entry_of(bob)
    assert kept.handle == "bob"
    assert kept.email_hash is not None
    assert "登録あり" in pages.get(app.test_client(), "/blacklist?handle=bob")


def test_the_page_names_what_stays_for_an_entry(log_in, alice, bob):
    cases.listed(alice, bob)

    page = pages.text(pages.get(log_in(bob), "/me/close"))

    assert "終わっていない登録が1件あります" in page
    assert "新しく登録できるようになります" not in page


def test_closing_twice_is_once(dora):
    with transaction():
        services.close(dora, now=MONDAY)

    with pytest.raises(Conflict), transaction():
        services.close(dora, now=MONDAY)

    assert count(AuditRow, AuditRow.action == "close") == 1


def test_the_partner_still_reads_the_trade(log_in, dora, alice):
    hers, client = log_in(alice), log_in(dora)
    trade_id = rooms.propose(alice, client)
    url = f"/trades/{trade_id}"
    pages.submit(hers, url, f"{url}/decline")

    leave(client)

    assert "dora" in pages.get(hers, url)


def test_an_offer_and_leaving_at_once_never_leave_a_trade_with_nobody(app, dora, alice):
    listing = make_listing(dora)
    dora_id, alice_id, listing_id = dora.id, alice.id, listing.id
    offered = items(listing)

    def offer():
        proposer = queries.get_account(alice_id)
        negotiation.propose(listing_id, offered, "", by=proposer, now=MONDAY)

    def close():
        services.close(queries.get_account(dora_id), now=MONDAY)

    outcomes = race(app, offer, close)

    assert outcomes.count("done") == 1
    closed = queries.get_account(dora_id).closed_at is not None
    assert closed is not trades.has_running_trade(dora_id)
