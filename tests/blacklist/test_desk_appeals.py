"""Appeals on the desk: what is due first, who may decide, and the mail."""

import pytest

from tests import pages
from tests.blacklist import cases
from tests.blacklist.cases import A_DAY, do, listed, mails, uphold
from tests.blacklist.desks import fresh, newest, read
from tests.factories import DUE, make_account
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Appeal
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import appeals
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.moderation import queries as desk_queries
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

MADE = DUE + 2 * A_DAY
NOW = MADE + 3 * A_DAY
WORDS = "6月2日に発送しました。\n控えがあります。"
SENTENCE = "控えで発送が確かめられました。"


@pytest.fixture(autouse=True)
def three_days_on(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.fixture
def judge(app):
    return make_account("judge", role=Role.MODERATOR)


@pytest.fixture
def appeal(alice, bob, moderator):
    """Bob's entry was upheld, and he appeals."""
    entry = listed(alice, bob)
    uphold(entry, moderator, now=DUE + A_DAY)
    return cases.appeal(entry, bob, WORDS, now=MADE)


def decide(client, made, **fields):
    url = f"/desk/appeals/{made.id}"
    given = {"decision": "refuse", "reason": "", "sentence": SENTENCE} | fields
    return pages.submit(client, url, f"{url}/decide", button="確認へ進む", **given)


def settle(client, made, review, button="この判断を確定する"):
    url = f"/desk/appeals/{made.id}"
    page = review.get_data(as_text=True)
    return pages.send(client, url, page, f"{url}/decide", button=button)


def test_what_is_due_first_stands_on_top_and_overdue_is_red(
    appeal, alice, charlie, log_in, judge, monkeypatch
):
    other = cases.appeal(listed(alice, charlie), charlie, WORDS, now=MADE + A_DAY)
    client, due = log_in(judge), MADE + 14 * A_DAY

    page = pages.get(client, "/desk/appeals")
    assert page.index(f'/appeals/{appeal.id}"') < page.index(f'/appeals/{other.id}"')
    assert "遅れています" not in page
    monkeypatch.setattr(clock, "now", lambda: due)
    page = pages.get(client, "/desk/appeals")
    assert page.count("遅れています") == 1
    assert "判断を待つ申し立て 2件" in pages.text(page)
    do(appeals.hide_overdue, appeal.id, now=due)
    shown = read(client, f"/desk/appeals/{appeal.id}")
    assert "公開の内容を伏せています" in shown
    assert 'href="/desk/appeals"' in pages.get(client, "/desk")
    [queue] = [q for q in desk_queries.queues(due) if q.name == "appeals"]
    assert (queue.count, queue.oldest) == (2, MADE)
    assert not queue.is_overdue(due)
    assert queue.is_overdue(due + A_DAY)


def test_the_page_shows_the_words_the_dossier_and_who_upheld(appeal, log_in, judge):
    page = read(log_in(judge), f"/desk/appeals/{appeal.id}")

    for words in (
        "控えがあります。",
        "never_dispatched",
        "登録の維持：掲示板の記録で足りる",
        "modさん",
        "規約 第1版",
        "担当者が確認済み。",
    ):
        assert words in page


@pytest.mark.parametrize(
    ("decision", "reason", "state", "entry_state"),
    [
        ("grant", "error", AppealState.GRANTED, EntryState.LIFTED),
        ("refuse", "", AppealState.REFUSED, EntryState.UPHELD),
    ],
)
def test_a_decision_is_read_with_its_mail_and_happens_once(
    appeal, bob, judge, log_in, decision, reason, state, entry_state
):
    client, before = log_in(judge), mails(bob)

    review = decide(client, appeal, decision=decision, reason=reason)
    assert review.status_code == 200
    assert fresh(appeal).state is AppealState.OPEN
    assert mails(bob) == before
    back = settle(client, appeal, review, "戻って直す")
    assert SENTENCE in back.get_data(as_text=True)

    for _ in range(2):
        assert settle(client, appeal, review).status_code == 303
    assert fresh(appeal).state is state
    assert not fresh(appeal).sole
    assert queries.get_entry(appeal.entry_id).state is entry_state
    new = mails(bob)[len(before) :]
    assert new[0] == "appeal_decided"
    letter = db.session.get(OutboxMail, newest(OutboxMail).id)
    subject, body = mailer.render(letter)
    shown = pages.text(review.get_data(as_text=True))
    assert subject in shown
    assert " ".join(mailer.without_secrets(body).split()) in shown
    ended = read(client, f"/desk/appeals/{appeal.id}")
    assert "確認へ進む" not in ended
    assert SENTENCE in ended


def test_nothing_is_decided_without_choice_reason_and_sentence(appeal, judge, log_in):
    client = log_in(judge)

    for fields in (
        {"decision": None},
        {"decision": "grant"},
        {"decision": "grant", "reason": "cured_late"},
        {"reason": "error"},
        {"sentence": " "},
    ):
        assert decide(client, appeal, **fields).status_code == 422, fields
    assert fresh(appeal).state is AppealState.OPEN


def test_who_upheld_sees_why_she_may_not_decide(appeal, moderator, judge, log_in):
    client = log_in(moderator)
    page = pages.get(client, f"/desk/appeals/{appeal.id}")
    assert "確認へ進む" not in page
    assert "あなたはこの登録を維持した担当者なので" in page

    review = decide(log_in(judge), appeal)
    fields = pages.form_fields(review.get_data(as_text=True))
    token = pages.form_fields(pages.get(client, "/desk/entries/new"))["csrf_token"]
    for step in ("review", "decide"):
        answer = client.post(
            f"/desk/appeals/{appeal.id}/decide",
            data=fields | {"csrf_token": token, "step": step},
        )
        assert answer.status_code == 403


def test_who_is_alone_decides_and_it_is_marked(appeal, moderator, log_in):
    client = log_in(moderator)
    assert "ほかに判断できる担当者がいません" in read(
        client, f"/desk/appeals/{appeal.id}"
    )

    settle(client, appeal, decide(client, appeal))

    assert fresh(appeal).sole
    assert "ほかに担当者なし" in read(client, f"/desk/appeals/{appeal.id}")


def test_the_second_one_reads_who_decided_what(appeal, judge, log_in):
    third = make_account("third", role=Role.MODERATOR)
    late, client = log_in(third), log_in(judge)
    review = decide(late, appeal, decision="grant", reason="error")
    settle(client, appeal, decide(client, appeal))

    answer = settle(late, appeal, review)

    assert answer.status_code == 409
    assert "judgeさんが先に判断しました" in answer.get_data(as_text=True)
    assert fresh(appeal).state is AppealState.REFUSED


def test_the_queue_costs_the_same_for_many(appeal, alice, judge, log_in, statements):
    client = log_in(judge)
    pages.get(client, "/desk/appeals")
    with statements() as with_one:
        pages.get(client, "/desk/appeals")
    for n in range(4):
        person = make_account(f"m{n}")
        cases.appeal(listed(alice, person), person, WORDS, now=MADE)

    with statements() as with_many:
        page = pages.get(client, "/desk/appeals")
    assert len(with_one) == len(with_many)
    assert page.count("申し立てを見る") == 5
    assert db.session.query(Appeal).count() == 5


def test_an_appeal_can_be_claimed_and_the_claim_dies_with_it(appeal, judge, log_in):
    client, url = log_in(judge), f"/desk/appeals/{appeal.id}"
    claim = f"/desk/entries/{appeal.entry_id}/claim"

    answer = pages.submit(client, url, claim, button="担当する")
    assert answer.location.endswith(url)
    assert "担当：あなた" in read(client, url)
    assert "担当：あなた" in read(client, "/desk/appeals")

    settle(client, appeal, decide(client, appeal))
    assert queries.claims_on([appeal.entry_id], NOW) == {}
