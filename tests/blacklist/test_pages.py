"""One's own entries, late receipts and the desk, as browsers see them."""

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
    mails,
    never_sent,
    receive,
    uphold,
    use_device,
)
from tests.factories import DUE, MONDAY, count, make_account
from tests.worlds import make_trade
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist import jobs, queries
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Decision, Entry, Evidence
from tradeboard.blacklist.rules.entries import EntryState, LiftReason
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.rules.states import LegState
from tradeboard.trades.services import messages


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


def test_the_queue_shows_the_reddest_first(alice, bob, charlie, moderator, log_in):
    fresh_one = listed(charlie, bob, at=clock.now() - 15 * A_DAY)
    old = both_sent(alice, bob)
    receive(old, alice)
    sweep_overdue_trades(DUE)
    red = entry_of(bob, old)

    page = pages.get(log_in(moderator), "/desk/entries")

    assert page.index(red.number) < page.index(fresh_one.number)
    assert page.count("遅れています") == 1
    assert "待っている記録 2件" in page
    held = pages.get(log_in(moderator), "/desk/entries?state=held")
    assert "待っている記録はありません" in held


def test_the_queue_costs_the_same_for_many(alice, moderator, log_in, statements):
    client = log_in(moderator)
    people = [make_account(f"member{n}") for n in range(6)]
    listed(alice, people[0])
    client.get("/desk/entries")
    with statements() as with_one:
        client.get("/desk/entries")
    for person in people[1:]:
        listed(alice, person)

    with statements() as with_many:
        page = pages.get(client, "/desk/entries")

    assert len(with_one) == len(with_many)
    assert page.count("両者を見る") == 6


def test_the_desk_is_for_staff(alice, bob, log_in):
    entry = listed(alice, bob)

    for url in ("/desk/entries", f"/desk/entries/{entry.id}", "/desk/entries/new"):
        assert log_in(alice).get(url).status_code == 404


def test_both_sides_stand_beside_each_other(alice, bob, charlie, moderator, log_in):
    use_device(bob, "D-7F3K-9QXM", MONDAY + A_DAY)
    use_device(charlie, "D-7F3K-9QXM", MONDAY + 2 * A_DAY)
    trade = make_trade(
        alice, bob, sent_by=[alice], tracking="4444-1375-8703", at=MONDAY
    )
    do(messages.say, trade.id, "来週送ります", by=bob, now=MONDAY + A_DAY)
    contest(trade, alice)
    sweep_overdue_trades(DUE)
    entry = entry_of(bob)

    html = pages.get(log_in(moderator), f"/desk/entries/{entry.id}")
    page = pages.text(html)

    for words in (
        "never_dispatched",
        "counterparty_in_default",
        "来週送ります",
        "（検算 一致）",
        "D-7F3K-9QXM",
        "charlie",
        "最初の発送から2週間以内に、品物が発送されなかった取引（2026年6月）。"
        "自動の登録で、審査待ち。",
        "規約 第1版",
        "2週間の期限",
        "あなたはこの取引の当事者ではありません",
    ):
        assert words in page
    assert entry_of(alice).number in page
    assert "checked" not in html
    assert 'rel="noreferrer noopener"' in html
    assert "09012340000" not in html


def review_url(entry):
    return f"/desk/entries/{entry.id}/decide"


def decide(client, entry, **fields):
    given = {"decision": "uphold", "reason": "record", "sentence": "記録で足ります。"}
    url = f"/desk/entries/{entry.id}"
    return pages.submit(
        client, url, review_url(entry), button="確認へ進む", **(given | fields)
    )


def settle(client, entry, page):
    url = f"/desk/entries/{entry.id}"
    return pages.send(client, url, page, review_url(entry), button="この判断を確定する")


@pytest.mark.parametrize(
    ("decision", "reason", "state"),
    [("uphold", "record", "upheld"), ("lift", "delivered", "lifted")],
)
def test_a_decision_is_reviewed_and_then_happens_once(
    alice, bob, moderator, log_in, decision, reason, state
):
    entry, client = listed(alice, bob), log_in(moderator)

    review = decide(client, entry, decision=decision, reason=reason)
    assert review.status_code == 200
    assert fresh(entry).state is EntryState.LISTED

    page = review.get_data(as_text=True)
    for _ in range(2):
        assert settle(client, entry, page).status_code == 303
    assert fresh(entry).state == state
    assert count(Decision) == 1
    assert mails(bob)[1:] == [state]


@pytest.mark.parametrize(
    "fields",
    [
        {"decision": None},
        {"reason": ""},
        {"reason": "delivered"},
        {"decision": "lift", "reason": "cured_late"},
        {"sentence": ""},
    ],
)
def test_nothing_is_decided_without_a_choice_a_reason_and_a_sentence(
    alice, bob, moderator, log_in, fields
):
    entry = listed(alice, bob)

    answer = decide(log_in(moderator), entry, **fields)

    assert answer.status_code == 422
    if fields.get("sentence") is None:
        assert "記録で足ります。" in answer.get_data(as_text=True)
    assert count(Decision) == 0


def test_the_second_moderator_reads_who_decided_what(alice, bob, moderator, log_in):
    judge = make_account("judge", role=Role.MODERATOR)
    entry = listed(alice, bob)
    late = log_in(judge)
    review = decide(late, entry, decision="lift", reason="error")
    uphold(entry, moderator, now=DUE + A_DAY)

    answer = settle(late, entry, review.get_data(as_text=True))

    assert answer.status_code == 409
    assert "modさんが先に判断しました" in answer.get_data(as_text=True)
    assert fresh(entry).state is EntryState.UPHELD
    assert mails(bob) == ["listed", "upheld"]


def test_a_party_sees_the_entry_but_no_form(alice, log_in, moderator):
    judge = make_account("judge", role=Role.MODERATOR)
    entry = listed(judge, alice)
    client = log_in(judge)

    page = pages.get(client, f"/desk/entries/{entry.id}")

    assert "確認へ進む" not in page
    assert "あなたはこの取引の当事者です" in page
    foreign = pages.get(log_in(moderator), f"/desk/entries/{entry.id}")
    fields = pages.form_fields(foreign, review_url(entry))
    token = pages.form_fields(pages.get(client, "/desk/entries/new"))["csrf_token"]
    answer = client.post(
        review_url(entry),
        data=fields
        | {
            "csrf_token": token,
            "decision": "lift",
            "reason": "error",
            "sentence": "違います",
            "step": "decide",
        },
    )
    assert answer.status_code == 403


def test_listing_by_hand(alice, bob, moderator, log_in):
    trade = both_sent(alice, bob)
    client, url = log_in(moderator), "/desk/entries/new"
    given = {
        "handle": "BOB",
        "finding": "not_as_agreed",
        "trade": f"{trade.id}",
        "evidence": "写真3枚",
        "sentence": "合意と違う品でした。",
    }

    for missing in ("handle", "finding", "trade", "evidence", "sentence"):
        answer = pages.submit(client, url, **(given | {missing: ""}))
        assert answer.status_code == 422, missing
    unknown = pages.submit(client, url, **(given | {"handle": "nobody"}))
    assert unknown.status_code == 422
    answer = pages.submit(client, url, **given)

    assert answer.status_code == 303
    page = pages.text(pages.get(client, answer.location))
    assert "写真3枚" in page
    assert queries.answer_for(handle="bob", now=DUE).entries[0].reviewed


def test_an_entry_without_a_trade_opens_too(bob, moderator, log_in):
    client = log_in(moderator)
    answer = pages.submit(
        client,
        "/desk/entries/new",
        handle="bob",
        finding="by_hand",
        evidence="同じ端末",
        sentence="登録を避けるための別のアカウントでした。",
    )

    assert "by_hand" in pages.get(client, answer.location)
    entry = entry_of(bob)
    assert pages.get(log_in(bob), f"/blacklist/mine/{entry.id}")
    decide(client, entry)


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
