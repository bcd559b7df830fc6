"""One entry on the desk: both sides, the decision, listing by hand."""

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
    uphold,
    use_device,
)
from tests.blacklist.desks import SENTENCE, decide, fresh, newest, read, settle, url_of
from tests.factories import DUE, MONDAY, count, make_account
from tests.worlds import TRACKED, make_trade
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services.looking import LOOK
from tradeboard.audit.models import AuditRow
from tradeboard.blacklist import queries
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Decision, Entry, Evidence
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import statements
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Leg, Proof
from tradeboard.trades.services import messages

NOW = DUE + 2 * A_DAY


@pytest.fixture(autouse=True)
def two_days_on(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.fixture
def desk(moderator, log_in):
    return log_in(moderator)


@pytest.fixture
def judge(app):
    return make_account("judge", role=Role.MODERATOR)


@pytest.fixture
def linked(alice, bob):
    """Alice contested a parcel with a number, Bob never sent: return his entry."""
    trade = make_trade(alice, bob, sent_by=[alice], tracking=TRACKED)
    do(messages.say, trade.id, "来週送ります", by=bob, now=MONDAY + A_DAY)
    contest(trade, alice)
    sweep_overdue_trades(DUE)
    return entry_of(bob)


def opened_by(client, entry):
    """Open the linked entry from this one's page and come back; return the address."""
    there = towards(pages.get(client, url_of(entry)))
    return towards(pages.get(client, there))


def towards(page):
    return page.partition("もう一つの記録")[2].partition('href="')[2].partition('"')[0]


def test_both_sides_stand_beside_each_other(desk, linked, alice, charlie):
    use_device(linked.account, "D-7F3K-9QXM", MONDAY + A_DAY)
    use_device(charlie, "D-7F3K-9QXM", MONDAY - 9 * A_DAY)

    html = pages.get(desk, url_of(linked))
    page = pages.text(html)

    for words in (
        "never_dispatched",
        "counterparty_in_default",
        "来週送ります",
        "（検算 一致）",
        "D-7F3K-9QXM",
        "charlie",
        "時期は重ならない",
        "最初の発送から2週間以内に、品物が発送されなかった取引（2026年6月）。"
        "自動の登録で、審査待ち。",
        "規約 第1版",
        "2週間の期限",
        "あなたはこの取引の当事者ではありません",
        "審査待ち 2件中 2番目",
        entry_of(alice).number,
    ):
        assert words in page
    assert "checked" not in html
    assert 'rel="noreferrer noopener"' in html
    assert "09012340000" not in html


def test_the_linked_entry_is_opened_before_one_decides(desk, linked, moderator):
    assert "確認へ進む" not in pages.get(desk, url_of(linked))

    back = opened_by(desk, linked)
    assert decide(desk, linked, back).status_code == 200
    review = decide(desk, linked, back).get_data(as_text=True)

    other = queries.entry_for_review(linked.id, NOW).linked
    lift(other, moderator, now=NOW)
    assert "確認へ進む" not in pages.get(desk, back)
    assert settle(desk, linked, review).status_code == 422
    assert fresh(linked).state is EntryState.LISTED
    assert decide(desk, linked, opened_by(desk, linked)).status_code == 200


def test_a_mark_is_good_for_one_person_and_one_way(desk, linked, judge, log_in):
    back = opened_by(desk, linked)

    assert "確認へ進む" not in pages.get(log_in(judge), back)
    mark = back.partition("?")[2]
    other = queries.entry_for_review(linked.id, NOW).linked
    assert "確認へ進む" not in pages.get(desk, f"{url_of(other)}?{mark}")
    assert "確認へ進む" not in pages.get(desk, f"{url_of(linked)}?opened=x")


@pytest.mark.parametrize(
    ("decision", "reason", "state"),
    [("uphold", "record", "upheld"), ("lift", "delivered", "lifted")],
)
def test_a_decision_is_reviewed_with_its_mail_and_then_happens_once(
    alice, bob, desk, decision, reason, state
):
    entry = listed(alice, bob)
    decided = AuditRow.action != LOOK
    rows = count(AuditRow, decided)

    review = decide(desk, entry, decision=decision, reason=reason)
    page = review.get_data(as_text=True)
    assert review.status_code == 200
    assert fresh(entry).state is EntryState.LISTED
    assert (count(Decision), mails(bob)) == (0, ["listed"])
    assert count(AuditRow, decided) == rows

    for _ in range(2):
        assert settle(desk, entry, page).status_code == 303
    assert fresh(entry).state == state
    assert count(Decision) == 1
    assert mails(bob)[1:] == [state]
    subject, body = mailer.render(newest(OutboxMail))
    shown = pages.text(page)
    assert subject in shown
    assert " ".join(mailer.without_secrets(body).split()) in shown
    assert ("Reviewed by" in page or "担当者が確認済み" in page) is (state == "upheld")


def test_one_can_go_back_with_what_was_typed(alice, bob, desk):
    entry = listed(alice, bob)
    review = decide(desk, entry, sentence="記録が\n二つあります。")

    again = settle(desk, entry, review.get_data(as_text=True), "戻って直す")

    page = again.get_data(as_text=True)
    assert "記録が\n二つあります。" in page
    assert 'value="uphold" checked' in page or 'checked id="decision-0"' in page


def test_nothing_is_decided_without_a_choice_a_reason_and_a_sentence(alice, bob, desk):
    entry = listed(alice, bob)

    for fields in (
        {"decision": None},
        {"reason": ""},
        {"reason": "delivered"},
        {"decision": "lift", "reason": "cured_late"},
        {"sentence": ""},
    ):
        answer = decide(desk, entry, **fields)
        assert answer.status_code == 422, fields
        if fields.get("sentence") is None:
            assert SENTENCE in answer.get_data(as_text=True)
    assert count(Decision) == 0


def test_the_second_moderator_reads_who_decided_what(
    alice, bob, moderator, judge, log_in
):
    entry, client = listed(alice, bob), log_in(judge)
    page = pages.get(client, url_of(entry))
    reviewed = decide(client, entry, decision="lift", reason="error")
    uphold(entry, moderator, now=NOW)

    given = {"decision": "lift", "reason": "error", "sentence": "違います。"}
    action = f"{url_of(entry)}/decide"
    for answer in (
        settle(client, entry, reviewed.get_data(as_text=True)),
        pages.send(client, url_of(entry), page, action, **given),
    ):
        assert answer.status_code == 409
        said = pages.text(answer.get_data(as_text=True))
        told = said.partition("modさんが先に判断しました：")[2]
        assert told.startswith("登録の維持（掲示板の記録で足りる）。発送の記録が")
    assert fresh(entry).state is EntryState.UPHELD
    assert mails(bob) == ["listed", "upheld"]


def test_a_listed_moderator_reads_nothing_and_another_one_decides(alice, desk, log_in):
    boss = make_account("boss", role=Role.ADMIN)
    entry, client = listed(alice, boss), log_in(boss)

    refused = client.get(url_of(entry))
    assert refused.status_code == 403
    assert "ほかの担当者に任せてください" in refused.text
    assert url_of(entry) not in pages.get(client, "/desk/entries")
    assert url_of(entry) in pages.get(desk, "/desk/entries")

    url = f"{url_of(entry)}/decide"
    token = pages.form_fields(pages.get(client, "/desk/entries/new"))["csrf_token"]
    given = pages.form_fields(pages.get(desk, url_of(entry)), url)
    given |= {"csrf_token": token, "decision": "lift", "reason": "error"}
    given |= {"sentence": "違います。"}
    for step in ("review", "decide"):
        assert client.post(url, data=given | {"step": step}).status_code == 403
    assert client.get(f"{url_of(entry)}/ask").status_code == 403

    review = decide(desk, entry, decision="lift", reason="error")
    assert settle(desk, entry, review.get_data(as_text=True)).status_code == 303
    assert fresh(boss).standing is Standing.GOOD


def test_what_was_reviewed_can_only_be_lifted_until_something_is_new(
    alice, bob, desk, moderator
):
    entry = listed(alice, bob)
    uphold(entry, moderator, now=NOW)
    ends = fresh(entry).expires_at
    assert "登録を維持する" not in pages.get(desk, url_of(entry))
    with pytest.raises(Conflict):
        uphold(entry, moderator, now=NOW)

    do(statements.state, entry.id, "追跡では配達済みです。", by=bob, now=NOW)
    assert "追跡では配達済みです。" in read(desk, url_of(entry))
    review = decide(desk, entry)
    assert settle(desk, entry, review.get_data(as_text=True)).status_code == 303

    entry = fresh(entry)
    assert (entry.state, entry.review_by) == (EntryState.UPHELD, None)
    assert (entry.upheld_at, entry.expires_at) == (NOW, ends)
    assert mails(bob) == ["listed", "upheld", "upheld"]


def test_what_the_carriers_page_says_is_kept_with_time_and_number(
    desk, linked, alice, moderator
):
    url = url_of(linked)
    page = pages.get(desk, url)
    action = page.partition("carrier-page")[0].rpartition('action="')[2]
    action = f"{action}carrier-page"

    empty = pages.send(desk, url, page, action, words=" ")
    assert empty.status_code == 422
    assert "内容を書いてください。" in empty.get_data(as_text=True)
    answer = pages.send(desk, url, page, action, words="6月3日 配達完了")
    assert answer.status_code == 303

    said = newest(Evidence)
    assert said.words == f"{TRACKED}：6月3日 配達完了"
    assert (said.kind, said.by_id, said.at) == ("carrier_page", moderator.id, NOW)
    assert said.entry_id == entry_of(alice).id
    shown = read(desk, url)
    assert "運送会社のページの内容" in shown
    assert "modさん 2026年6月17日(水) 21:00（日本時間）" in shown


def test_the_photos_of_both_stand_in_one_strip(desk, linked, alice):
    leg_id = db.session.scalar(db.select(Leg.id).where(Leg.sender_id == alice.id))
    do(
        lambda: db.session.add(
            Proof(
                id="a" * 32,
                leg_id=leg_id,
                by_id=alice.id,
                purpose="dispatch",
                width=800,
                height=1000,
                added_at=MONDAY,
            )
        )
    )
    large = f"/proofs/{'a' * 32}-2048.jpg"

    page = pages.get(desk, url_of(linked))
    assert f'href="{large}"' in page
    assert 'alt="aliceの写真 1"' in page
    for zoom in ("", "?zoom=3", "?zoom=x"):
        beside = pages.get(desk, f"{url_of(linked)}/photos{zoom}")
        assert f'src="{large}"' in beside
        assert ("zoom-3" in beside) is (zoom == "?zoom=3")


def test_earlier_decisions_of_the_person_are_shown(
    alice, bob, charlie, desk, moderator
):
    first = listed(charlie, bob)
    lift(first, moderator, now=NOW)
    entry = listed(alice, bob)
    uphold(entry, moderator, now=NOW)

    page = read(desk, url_of(entry))
    assert "これまでの判断" in page
    assert "発送の記録がありません。" in page
    assert f"この人のほかの記録 {first.number}" in page
    assert "配達が確かめられました。" in page


def test_an_entry_costs_the_same_whatever_stands_in_it(
    desk, linked, alice, bob, charlie, moderator, statements
):
    use_device(bob, "D-7F3K-9QXM", MONDAY + A_DAY)
    lift(listed(charlie, bob), moderator, now=NOW)
    do(_say_much, linked.id, bob, 1)
    pages.get(desk, url_of(linked))
    with statements() as with_few:
        pages.get(desk, url_of(linked))

    for n in range(4):
        use_device(bob, f"D-7F3K-9QX{n}", MONDAY + A_DAY)
        use_device(make_account(f"m{n}"), f"D-7F3K-9QX{n}", MONDAY + A_DAY)
        lift(listed(make_account(f"p{n}"), bob), moderator, now=NOW)
    do(_say_much, linked.id, bob, 5)
    do(_say_much, linked.id, alice, 5)

    with statements() as with_many:
        pages.get(desk, url_of(linked))
    assert len(with_many) == len(with_few)
    assert len(with_few) < 55


def _say_much(entry_id, by, times):
    for n in range(times):
        db.session.add(
            Evidence(entry_id=entry_id, by_id=by.id, at=NOW, kind="x", words=f"{n}")
        )


def test_listing_by_hand_is_read_before_it_happens(alice, bob, desk):
    trade = both_sent(alice, bob)
    url = "/desk/entries/new"
    given = {
        "handle": "BOB",
        "finding": "not_as_agreed",
        "trade": f"{trade.id}",
        "evidence": "写真3枚",
        "sentence": "合意と違う品でした。",
    }

    for missing in ("handle", "finding", "trade", "evidence", "sentence"):
        answer = pages.submit(desk, url, **(given | {missing: ""}))
        assert answer.status_code == 422, missing
    unknown = pages.submit(desk, url, **(given | {"handle": "nobody"}))
    assert unknown.status_code == 422

    review = pages.submit(desk, url, **given)
    page = review.get_data(as_text=True)
    assert review.status_code == 200
    assert count(Entry) == 0
    assert mails(bob) == []
    assert "届いた品物が、合意した内容と違っていた取引（2026年6月）" in page
    assert "ブラックリストに登録されました" in page
    back = pages.send(desk, url, page, url, button="戻って直す")
    assert "写真3枚" in back.get_data(as_text=True)

    answer = pages.send(desk, url, page, url, button="この内容で登録する")
    assert answer.status_code == 303
    assert "写真3枚" in read(desk, answer.location)
    assert queries.answer_for(handle="bob", now=NOW).entries[0].reviewed
    assert mails(bob) == ["listed"]


def test_an_entry_without_a_trade_opens_too(bob, desk, log_in):
    url = "/desk/entries/new"
    page = pages.submit(
        desk,
        url,
        handle="bob",
        finding="by_hand",
        evidence="同じ端末",
        sentence="登録を避けるための別のアカウントでした。",
    ).get_data(as_text=True)
    answer = pages.send(desk, url, page, url, button="この内容で登録する")

    assert "by_hand" in pages.get(desk, answer.location)
    entry = entry_of(bob)
    assert pages.get(log_in(bob), f"/blacklist/mine/{entry.id}")
    answer = decide(desk, entry, decision="lift", reason="error")
    assert answer.status_code == 200
    assert pages.get(desk, f"{url_of(entry)}/photos")
