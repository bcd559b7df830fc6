import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests import pages
from tests.factories import A_MOMENT, MONDAY, count, make_account
from tests.privacy import lives
from tests.privacy.lives import Life
from tests.races import race
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, Device, Watch
from tradeboard.accounts.queries import keys, mailboxes
from tradeboard.accounts.rules.email import RULES_VERSION
from tradeboard.accounts.services import rekeying
from tradeboard.audit.models import AuditRow
from tradeboard.blacklist.models import AppealLink, Entry, EntryDevice
from tradeboard.blacklist.services import entering, hand, links
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.notifications import services as notifications
from tradeboard.notifications.models import OutboxMail
from tradeboard.privacy import jobs
from tradeboard.privacy.services import erasing
from tradeboard.profiles import services as profiles
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import TradeState

A_DAY = timedelta(days=1)
CLOSED_AT = MONDAY + 100 * A_DAY
ERASED_AT = CLOSED_AT + 30 * A_DAY


@pytest.fixture
def mina(app):
    return Life("mina", "カナリアミナ")


@pytest.fixture
def kuro(app):
    return Life("kuro", "カナリアクロ", device="D-1111-0002")


def close(life, at=CLOSED_AT):
    with transaction():
        profiles.close(accounts.get_account(life.id), now=at)


def traces(life):
    return lives.left_of(f"{life.who}-", life.account_handle)


def remember_name(*people):
    for life in people:
        life.account_handle = life.account.handle


def test_an_account_is_erased_thirty_days_after_closing_once(app, mina):
    close(mina)

    assert jobs.erase_accounts(ERASED_AT - A_MOMENT).done == 0
    assert jobs.erase_accounts(ERASED_AT).done == 1
    assert jobs.erase_accounts(ERASED_AT).done == 0
    rows = select(AuditRow).where(AuditRow.action == "erase")
    row = db.session.scalars(rows).one()
    assert (row.object, row.actor_id, row.body) == (f"account:{mina.id}", None, {})


def test_nothing_is_left_of_a_person_but_a_number(app, mina, kuro):
    remember_name(mina, kuro)
    trade_id = lives.trade_between(mina, kuro, ended_at=MONDAY + A_DAY)
    end(lives.list_by_hand(mina), MONDAY)
    close(mina)
    assert len(traces(mina)) >= 40

    jobs.erase_accounts(ERASED_AT)
    jobs.purge_evidence(ERASED_AT)

    assert traces(mina) == {}
    account = db.session.get(Account, mina.id)
    assert account.email_key == f"erased:{mina.id}"
    assert account.erased_at == ERASED_AT
    assert [row.shown for row in lives.handle_rows(mina.id)] == [""]
    assert db.session.get(Device, mina.device_id) is None
    assert traces(kuro).keys() >= {"account.email", "phone_side.number_masked"}
    assert db.session.get(Trade, trade_id).state is TradeState.RECEIVED
    if db.engine.dialect.name == "sqlite":
        assert_the_file_holds_none(mina)


def assert_the_file_holds_none(life):
    db.session.remove()
    copy = Path(db.engine.url.database).with_suffix(".vacuumed")
    with closing(sqlite3.connect(db.engine.url.database)) as connection:
        connection.execute("VACUUM INTO ?", [str(copy)])
    found = copy.read_bytes().decode("utf-8", "replace")
    copy.unlink()
    assert f"{life.who}-" not in found
    assert life.account_handle not in found


def test_a_running_trade_lets_an_account_be(app, mina, kuro):
    trade_id = lives.trade_between(mina, kuro)
    with transaction():
        db.session.get(Account, mina.id).closed_at = CLOSED_AT

    assert jobs.erase_accounts(ERASED_AT).done == 0

    with transaction():
        ended = {"state": TradeState.CANCELLED, "ended_at": ERASED_AT}
        db.session.execute(update(Trade).where(Trade.id == trade_id).values(**ended))
    assert jobs.erase_accounts(ERASED_AT).done == 1


def test_messages_and_proofs_are_the_partners_evidence_for_longer(
    app, log_in, mina, kuro, moderator
):
    remember_name(mina)
    trade_id = lives.trade_between(mina, kuro, ended_at=CLOSED_AT - A_DAY)
    close(mina)

    jobs.erase_accounts(ERASED_AT)
    jobs.purge_evidence(CLOSED_AT + 89 * A_DAY - A_MOMENT)

    assert set(traces(mina)) == {
        "leg.tracking",
        "leg.differs_words",
        "message.text",
    }
    page = pages.get(log_in(kuro.account), f"/trades/{trade_id}")
    assert "退会した会員" in page
    assert mina.canary("message") in page

    jobs.purge_evidence(CLOSED_AT + 89 * A_DAY)
    assert traces(mina) == {}
    partner, staff = log_in(kuro.account), log_in(moderator)
    for client, path in (
        (partner, f"/trades/{trade_id}"),
        (partner, "/trades"),
        (partner, "/me/reveals"),
        (staff, f"/desk/people/{mina.id}"),
        (staff, f"/desk/trades/{trade_id}"),
    ):
        assert "退会した会員" in pages.get(client, path), path


def test_a_standing_entry_keeps_what_it_needs_until_it_ends(app, mina):
    remember_name(mina)
    entry_id = lives.list_by_hand(mina)
    close(mina)

    jobs.erase_accounts(ERASED_AT)

    assert jobs.erase_accounts(ERASED_AT).done == 0
    kept = set(traces(mina))
    assert kept == {
        "appeal.sentence",
        "appeal.words",
        "appeal_link.token_hash",
        "decision.sentence",
        "device.key",
        "entry.email_hash",
        "entry.facts",
        "entry.handle",
        "evidence.words",
        "evidence_request.words",
        "watch.hash",
    }
    assert count(EntryDevice, EntryDevice.entry_id == entry_id) == 1
    page = pages.get(app.test_client(), f"/blacklist?handle={mina.account_handle}")
    assert mina.account_handle in page

    end(entry_id, ERASED_AT + A_DAY)
    assert jobs.erase_accounts(ERASED_AT + A_DAY).done == 1
    assert jobs.erase_accounts(ERASED_AT + A_DAY).done == 0
    assert count(Watch) == count(EntryDevice) == 0
    assert "entry.handle" not in traces(mina)

    jobs.purge_evidence(ERASED_AT + 91 * A_DAY)
    assert set(traces(mina)) == {"device.key"}  # until it is unseen for 400 days
    assert count(AppealLink) == 0


def end(entry_id, now):
    with transaction():
        entry = db.session.get(Entry, entry_id)
        entering.end(entry, "expire", by_id=None, now=now)


def test_nobody_writes_to_an_erased_account_or_moves_its_key(app, mina):
    close(mina)
    jobs.erase_accounts(ERASED_AT)

    with transaction():
        account = accounts.get_account(mina.id)
        notifications.queue_mail(account, "x.txt", key="new", now=ERASED_AT)
    assert count(OutboxMail, OutboxMail.key == "new") == 0
    waiting = (OutboxMail.sent_at.is_(None), OutboxMail.dead_at.is_(None))
    assert count(OutboxMail, *waiting) == 0
    kid = keyring.ring().kid("email")
    assert mina.id not in mailboxes.stale_key_ids(RULES_VERSION, kid)
    assert mailboxes_unmoved(kid)
    with transaction():
        rekeying.rekey_all(now=ERASED_AT)
    assert db.session.get(Account, mina.id).email_key == f"erased:{mina.id}"


def mailboxes_unmoved(kid):
    return keys.mailboxes_to_move(kid) == 0 and set(keys.rows_by_key("email")) == {kid}


def test_the_name_stays_taken_and_the_new_one_is_nobodys(app, alice, mina):
    handle = mina.account.handle
    close(mina)
    jobs.erase_accounts(ERASED_AT)

    for name in (handle, "退会した会員"):
        with pytest.raises(RuleBroken), transaction():
            profiles.rename(alice, name, now=ERASED_AT)
    assert accounts.find_by_handle("退会した会員") is None
    assert accounts.find_by_handle(handle).id == mina.id


def test_two_jobs_at_once_erase_once(app, mina):
    close(mina)
    account_id = mina.id

    def erase():
        erasing.erase(account_id, now=ERASED_AT)

    assert sorted(race(app, erase, erase)) == ["Conflict", "done"]
    assert count(AuditRow, AuditRow.action == "erase") == 1


def test_a_browser_of_somebody_else_too_stays(app, mina, kuro):
    with transaction():
        db.session.execute(
            update(lives.DeviceUse)
            .where(lives.DeviceUse.account_id == kuro.id)
            .values(device_id=mina.device_id)
        )
    close(mina)
    close(kuro, at=CLOSED_AT + A_DAY)

    jobs.erase_accounts(ERASED_AT)
    assert db.session.get(Device, mina.device_id) is not None

    jobs.erase_accounts(ERASED_AT + A_DAY)
    assert db.session.get(Device, mina.device_id) is None
    assert make_account("later") is not None


def test_an_erased_person_answers_by_the_mailed_link_and_is_not_listed_anew(
    app, mina, moderator
):
    stands = {"upheld_at": MONDAY, "expires_at": MONDAY + 730 * A_DAY}
    entry_id = lives.list_by_hand(mina, **stands)
    close(mina)
    with transaction():
        link = links.issue(db.session.get(Entry, entry_id), now=CLOSED_AT)
    jobs.erase_accounts(ERASED_AT)

    url = f"/appeals/{link}"
    words = "荷物は期限の前に届いています。控えの写しがあります。"
    answer = pages.submit(app.test_client(), url, url, words=words)

    assert answer.status_code == 303
    db.session.rollback()
    assert db.session.get(Entry, entry_id).appealed_at is not None
    with pytest.raises(Conflict), transaction():
        hand.list_by_hand(
            mina.id,
            Finding.BY_HAND,
            None,
            "証拠",
            "理由",
            by=accounts.get_account(moderator.id),
            now=ERASED_AT,
        )
