"""One's own entries and late receipts, as browsers see them."""

from datetime import timedelta

import pytest

from tests import pages
from tests.blacklist.cases import (
    A_DAY,
    both_sent,
    contest,
    do,
    entry_of,
    lift,
    listed,
    never_sent,
    receive,
    uphold,
    use_device,
)
from tests.factories import DUE, MONDAY, count, make_account
from tests.worlds import make_trade
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist import jobs
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry, Evidence
from tradeboard.blacklist.rules.entries import LiftReason
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.rules.states import LegState


def fresh(entry):
    db.session.rollback()
    return db.session.get(Entry, entry.id)


def long_ago():
    """Return an instant whose fourteen days are over by the real clock."""
    return clock.now().replace(microsecond=0) - 20 * A_DAY


def test_one_sees_the_own_entries_and_what_is_public(alice, bob, log_in):
    use_device(bob, "D-7F3K-9QXM", MONDAY + A_DAY)
    entry = listed(alice, bob)
    client = log_in(bob)

    assert entry.number in pages.get(client, "/blacklist/mine")
    page = pages.text(pages.get(client, f"/blacklist/mine/{entry.id}"))

    for words in (
        "公開されているもの",
        "最初の発送から2週間以内に、品物が発送されなかった取引",
        "D-7F3K-9QXM",
        "新しい募集・申し込み・合意はできません",
        "だれが決めるか",
    ):
        assert words in page


def test_a_held_person_reads_that_nothing_is_public(alice, bob, log_in):
    both_sent(alice, bob)
    sweep_overdue_trades(DUE)
    entry = entry_of(bob)

    page = pages.text(pages.get(log_in(bob), f"/blacklist/mine/{entry.id}"))

    assert "相手も期限を過ぎているため、公開せずに担当者が確かめています。" in page
    assert "何も公開していません" in page
    assert "新しい取引も、いつもどおりできます。" in page


def test_the_pages_of_ended_entries_open_too(alice, bob, moderator, log_in):
    entry = listed(alice, bob)
    lift(entry, moderator, now=DUE + A_DAY)

    page = pages.text(pages.get(log_in(bob), f"/blacklist/mine/{entry.id}"))

    assert "この記録は解除されました。" in page
    assert "配達が確かめられた" in page


def test_somebody_without_entries_reads_that(alice, log_in):
    assert "記録はありません" in pages.get(log_in(alice), "/blacklist/mine")


def test_a_statement_is_sent_once(alice, bob, log_in):
    entry = listed(alice, bob)
    client = log_in(bob)
    url = f"/blacklist/mine/{entry.id}"
    page = pages.get(client, url)

    for _ in range(2):
        answer = pages.send(client, url, page, f"{url}/statement", words="送りました")
        assert answer.status_code == 303

    assert count(Evidence) == 1
    assert "送りました" in pages.get(client, url)


def test_an_empty_statement_comes_back(alice, bob, log_in):
    entry = listed(alice, bob)
    url = f"/blacklist/mine/{entry.id}"

    answer = pages.submit(log_in(bob), url, f"{url}/statement", words=" ")

    assert answer.status_code == 422
    assert "説明を書いてください。" in answer.get_data(as_text=True)


def due_now(alice, bob):
    """Make a trade that fell due by the real clock, Bob's parcel missing."""
    at = long_ago()
    trade = make_trade(alice, bob, sent_by=[alice, bob], at=at)
    receive(trade, alice, now=at + A_DAY)
    return trade


def late_url(trade, sender):
    return f"/trades/legs/{trade.leg_from(sender.id).id}/late-receipt"


@pytest.mark.parametrize("swept", [False, True])
def test_the_recipient_confirms_that_it_came_in_time(alice, bob, log_in, swept):
    trade = due_now(alice, bob)
    if swept:
        sweep_overdue_trades(clock.now())
    day = trades.day_in_japan(trade.due_at - 2 * A_DAY)

    answer = pages.submit(
        log_in(alice), late_url(trade, bob), arrived_at=day.isoformat()
    )

    assert answer.status_code == 303
    assert answer.location.endswith(f"/trades/{trade.id}")
    assert entry_of(bob).lift_reason is LiftReason.RECEIVED_IN_TIME


def test_on_the_due_day_the_time_is_required(alice, bob, log_in):
    trade = due_now(alice, bob)
    client, url = log_in(alice), late_url(trade, bob)
    day = trades.day_in_japan(trade.due_at).isoformat()

    refused = pages.submit(client, url, arrived_at=day)
    assert refused.status_code == 422
    assert "時刻も入れてください" in refused.get_data(as_text=True)
    assert day in refused.get_data(as_text=True)

    local = trade.due_at + timedelta(hours=9)
    answer = pages.submit(client, url, arrived_at=day, arrived_time=f"{local:%H:%M}")
    assert answer.status_code == 303
    in_time = local.replace(second=0) < local
    wanted = LiftReason.RECEIVED_IN_TIME if in_time else LiftReason.CURED_LATE
    assert entry_of(bob).lift_reason is wanted


@pytest.mark.parametrize("typed", ["", "昨日", "2999-01-01"])
def test_a_day_that_cannot_be_is_refused(alice, bob, log_in, typed):
    trade = due_now(alice, bob)

    answer = pages.submit(log_in(alice), late_url(trade, bob), arrived_at=typed)

    assert answer.status_code == 422
    assert count(Entry) == 0


def test_late_receipts_are_the_recipients_and_late(alice, bob, charlie, log_in):
    trade = due_now(alice, bob)
    running = make_trade(alice, bob, sent_by=[bob], at=clock.now() - A_DAY)

    assert log_in(charlie).get(late_url(trade, bob)).status_code == 404
    assert log_in(bob).get(late_url(trade, bob)).status_code == 403
    assert log_in(alice).get(late_url(running, bob)).status_code == 409


def test_a_late_dispatch_is_recorded(alice, bob, log_in):
    at = long_ago()
    trade = never_sent(alice, bob, at=at)
    sweep_overdue_trades(clock.now())
    leg_id = trade.leg_from(bob.id).id
    client, url = log_in(bob), f"/trades/legs/{leg_id}/late-dispatch"

    assert pages.submit(client, url, carrier="x").status_code == 422
    assert pages.submit(client, url, carrier="yamato").status_code == 422
    answer = pages.submit(client, url, carrier="none")

    assert answer.status_code == 303
    assert trades.get_leg(leg_id).state is LegState.DISPATCHED
    assert client.get(url).status_code == 409


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_mail_reads_well(alice, bob, charlie, moderator, language):
    for person in (alice, bob, charlie):
        do(
            lambda person=person: setattr(
                db.session.get(type(person), person.id), "language", language
            )
        )
    make_account("boss", role=Role.ADMIN, language=language)
    first = listed(alice, bob)
    uphold(first, moderator, now=DUE + A_DAY)
    lift(first, moderator, now=DUE + A_DAY)
    both_sent(alice, charlie)
    trade = both_sent(bob, charlie)
    contest(trade, bob)
    sweep_overdue_trades(DUE)
    jobs.warn_of_unreviewed(DUE + 20 * A_DAY)
    jobs.expire_entries(DUE + 900 * A_DAY)

    seen = set()
    for mail in db.session.query(OutboxMail).filter(
        OutboxMail.template.like("blacklist/mail/%")
    ):
        subject, body = mailer.render(mail)
        seen.add(mail.template.split("/")[-1].removesuffix(".txt"))
        assert subject
        assert body.count("http") == 1
        assert "\n\n\n\n" not in body
        assert bob.email not in body
    assert seen == {
        "listed", "held", "partner_default", "upheld", "lifted", "expired",
        "unreviewed",
    }  # fmt: skip
