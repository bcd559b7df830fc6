"""Appeals: who may decide, until when, what follows, and what if two act at once."""

from datetime import timedelta
from itertools import product

import pytest
from sqlalchemy import select

from tests.blacklist import cases
from tests.blacklist.cases import A_DAY, do, lift, listed, mails, token_in, uphold
from tests.factories import A_MOMENT, DUE, MONDAY, count, make_account
from tests.races import race
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.audit import queries as audit
from tradeboard.blacklist import jobs, queries
from tradeboard.blacklist.models import Appeal, AppealLink, Change, EntryDraft
from tradeboard.blacklist.photos import Stored
from tradeboard.blacklist.rules import appeals as rules
from tradeboard.blacklist.rules.appeals import AppealState, Right
from tradeboard.blacklist.rules.entries import EntryState, LiftReason
from tradeboard.blacklist.services import appeals, drafts, receipts
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.trades.models import Trade
from tradeboard.trades.services import overdue

LATER = DUE + A_DAY
APPEALED = LATER + A_DAY
DECIDED = APPEALED + 3 * A_DAY
DATE = APPEALED + 14 * A_DAY
WORDS = "6月2日に発送しました。控えがあります。"


@pytest.fixture
def judge(app):
    """She decides, too."""
    return make_account("judge", role=Role.MODERATOR)


def appeal(entry, person, *, words=WORDS, files=(), now=APPEALED):
    return cases.appeal(entry, person, words, files=files, now=now)


def refuse(made, by, *, now=DECIDED, version=None):
    version = made.version if version is None else version
    said = "控えの日付は期限のあとです。"
    return do(appeals.refuse, made.id, said, version=version, by=by, now=now)


def grant(made, by, *, now=DECIDED, version=None, reason=LiftReason.ERROR):
    return do(
        appeals.grant,
        made.id,
        "控えで発送が確かめられました。",
        reason=reason,
        version=made.version if version is None else version,
        by=by,
        now=now,
    )


def fresh(row):
    db.session.rollback()
    return db.session.get(type(row), row.id, populate_existing=True)


def changes():
    rows = db.session.scalars(select(Change).order_by(Change.seq))
    return [change.type.value for change in rows]


FORBIDS = {Right.NO_STAFF, Right.PARTY, Right.NEAR, Right.UPHELD}


@pytest.mark.parametrize("others", [0, 1])
def test_who_may_decide_is_a_table_without_holes(others):
    for is_staff, is_party, upheld in product([False, True], repeat=3):
        right = rules.right_to_decide(
            is_staff=is_staff, is_party=is_party, upheld=upheld, others=others
        )
        wanted = {
            (False, False, False): Right.NO_STAFF,
            (False, False, True): Right.NO_STAFF,
            (False, True, False): Right.NO_STAFF,
            (False, True, True): Right.NO_STAFF,
            (True, True, False): Right.PARTY,
            (True, True, True): Right.PARTY,
            (True, False, False): Right.MAY,
            (True, False, True): Right.UPHELD if others else Right.SOLE,
        }
        assert right is wanted[is_staff, is_party, upheld]
        near = rules.right_to_decide(
            is_staff=is_staff,
            is_party=is_party,
            is_near=True,
            upheld=upheld,
            others=others,
        )
        assert near is (Right.NEAR if is_staff and not is_party else right)
    assert set(appeals.FORBIDDEN) == FORBIDS


def test_the_due_instant_and_the_day_for_another_try():
    assert rules.due_at(MONDAY) == MONDAY + timedelta(hours=336)
    assert not rules.is_overdue(DUE, DUE - A_MOMENT)
    assert rules.is_overdue(DUE, DUE)

    again = MONDAY + timedelta(days=180)
    for now, new, may in (
        (again - A_MOMENT, False, False),
        (again, False, True),
        (MONDAY, True, True),
    ):
        assert rules.may_appeal_again(MONDAY, now, brings_new=new) is may
    assert rules.may_appeal_again(None, MONDAY, brings_new=False)


@pytest.mark.parametrize(
    ("words", "files", "new"),
    [
        ("送りました", 0, False),
        (" 送りました\n", 0, False),
        ("送りました", 1, True),
        ("控えがあります", 0, True),
    ],
)
def test_new_is_what_no_earlier_appeal_said(words, files, new):
    assert rules.brings_new(words, files, ["送りました", "別の理由"]) is new


def test_a_refused_appeal_lets_the_entry_stand(alice, bob, moderator, judge):
    entry = listed(alice, bob)
    uphold(entry, moderator, now=LATER)

    do(drafts.save, entry.id, bob.id, "appeal", "送りまし", [], now=LATER)
    made = appeal(entry, bob)

    assert (made.due_at, made.state) == (DATE, AppealState.OPEN)
    assert fresh(entry).appealed_at == APPEALED
    assert count(EntryDraft) == 0
    (public,) = queries.answer_for(handle="bob", now=APPEALED).entries
    assert public.under_appeal
    assert mails(bob) == ["listed", "upheld", "appealed"]
    assert mails(judge) == ["appeal_waiting"]
    assert mails(moderator) == []

    with pytest.raises(NotAllowed, match="維持した"):
        refuse(made, moderator)
    refuse(made, judge)

    entry, made = fresh(entry), fresh(made)
    assert (entry.state, entry.appealed_at) == (EntryState.UPHELD, None)
    assert (made.state, made.decided_by_id) == (AppealState.REFUSED, judge.id)
    assert not made.sole
    assert mails(bob)[-1] == "appeal_decided"
    assert changes() == ["listed", "upheld", "appealed", "appeal_closed"]
    actions = [row.action for row in audit.newest(before=None, limit=5)]
    assert actions[0] == "refuse appeal of entry"
    assert "take appeal of entry" in actions


def test_a_granted_appeal_lifts_the_entry(alice, bob, moderator, judge):
    entry = listed(alice, bob)
    uphold(entry, moderator, now=LATER)
    made = appeal(entry, bob)

    with pytest.raises(RuleBroken, match="区分"):
        grant(made, judge, reason=LiftReason.CURED_LATE)
    grant(made, judge)

    entry, made = fresh(entry), fresh(made)
    assert (entry.state, entry.lift_reason) == (EntryState.LIFTED, LiftReason.ERROR)
    assert (entry.appealed_at, entry.hidden_at) == (None, None)
    assert made.state is AppealState.GRANTED
    assert db.session.get(Account, bob.id).standing is Standing.GOOD
    assert mails(bob) == ["listed", "upheld", "appealed", "appeal_decided"]
    assert changes() == ["listed", "upheld", "appealed", "lifted"]
    assert queries.answer_for(handle="bob", now=DECIDED).status == "none"


def test_nobody_but_the_person_appeals_and_only_what_is_public(
    alice, bob, charlie, moderator
):
    entry = listed(alice, bob)

    for stranger in (alice, charlie, moderator):
        with pytest.raises(NotFound):
            appeal(entry, stranger)
    for words, files in (
        (" ", []),
        ("あ" * 4001, []),
        ("あ", [Stored(f"{n:032x}", 1, 1) for n in range(7)]),
    ):
        with pytest.raises(RuleBroken):
            appeal(entry, bob, words=words, files=files)
    appeal(entry, bob, words="あ" * 4000)
    with pytest.raises(Conflict, match="待っている"):
        appeal(entry, bob, words="ほかの理由")
    lift(entry, moderator, now=DECIDED)
    with pytest.raises(Conflict, match="公開されている登録だけ"):
        appeal(entry, bob)
    assert count(Appeal) == 1


def test_the_same_words_wait_for_180_days_and_new_ones_do_not(
    alice, bob, moderator, judge
):
    entry = listed(alice, bob)
    refuse(appeal(entry, bob), moderator)
    soon = DECIDED + A_DAY

    with pytest.raises(RuleBroken, match="180日"):
        appeal(entry, bob, now=DECIDED + 180 * A_DAY - A_MOMENT)
    refuse(appeal(entry, bob, words="新しい控えです", now=soon), judge, now=soon)
    picture = Stored("a" * 32, 100, 100)
    made = appeal(entry, bob, files=[picture], now=soon + A_DAY)
    refuse(made, judge, now=soon + A_DAY)
    assert appeal(entry, bob, now=soon + 181 * A_DAY).state is AppealState.OPEN


def test_who_upheld_decides_where_there_is_nobody_else(alice, bob, moderator):
    entry = listed(alice, bob)
    uphold(entry, moderator, now=LATER)
    made = appeal(entry, bob)
    assert mails(moderator) == ["appeal_waiting"]

    refuse(made, moderator)

    assert fresh(made).sole


def test_a_moderators_entry_needs_another_moderator(alice, moderator, judge):
    entry = listed(alice, moderator)
    uphold(entry, judge, now=LATER)
    made = appeal(entry, moderator)

    with pytest.raises(NotAllowed, match="当事者"):
        grant(made, moderator)
    with pytest.raises(NotAllowed, match="担当者だけ"):
        grant(made, alice)
    # Nobody but the two moderates, and the person himself never counts.
    grant(made, judge)
    assert fresh(made).sole


def test_the_second_decider_reads_who_decided_what(alice, bob, moderator, judge):
    made = appeal(listed(alice, bob), bob)
    version = made.version
    refuse(made, judge)

    with pytest.raises(Conflict, match=r"judgeさん.*認めませんでした.*控えの日付"):
        grant(made, moderator, version=version)
    assert mails(bob).count("appeal_decided") == 1


def test_of_two_deciders_at_once_one_wins(app, alice, bob, moderator, judge):
    made = appeal(listed(alice, bob), bob)
    version, made_id = made.version, made.id

    def decide(who, verb, **more):
        by = db.session.get(Account, who)
        verb(made_id, "確かめました。", version=version, by=by, now=DECIDED, **more)

    ids = moderator.id, judge.id
    outcomes = race(
        app,
        lambda: decide(ids[0], appeals.refuse),
        lambda: decide(ids[1], appeals.grant, reason=LiftReason.ERROR),
    )

    assert sorted(outcomes) == ["Conflict", "done"]
    assert mails(bob).count("appeal_decided") == 1


def test_an_appeal_and_a_lift_at_once_leave_nothing_open(
    app, alice, bob, moderator, judge
):
    entry = listed(alice, bob)
    ids = entry.id, entry.version, bob.id, moderator.id

    def ask():
        person = db.session.get(Account, ids[2])
        appeals.appeal(ids[0], WORDS, [], by=person, link=None, now=APPEALED)

    def let_go():
        by = db.session.get(Account, ids[3])
        appeals.review.lift_by_moderator(
            ids[0], ids[1], LiftReason.SETTLED, "解決しました。", by=by, now=APPEALED
        )

    outcomes = race(app, ask, let_go)

    assert sorted(outcomes) == ["Conflict", "done"]
    entry = fresh(entry)
    if entry.state is EntryState.LIFTED:
        assert count(Appeal) == 0
    else:
        assert entry.appealed_at == APPEALED
    assert count(Appeal, Appeal.state == AppealState.OPEN) == (
        entry.state is not EntryState.LIFTED
    )


def test_overdue_appeals_hide_the_facts_once(alice, bob, moderator):
    admin = make_account("root", role=Role.ADMIN)
    entry = listed(alice, bob)
    made = appeal(entry, bob)

    assert jobs.hide_overdue_appeals(DATE - A_MOMENT).done == 0
    assert jobs.hide_overdue_appeals(DATE).done == 1
    assert jobs.hide_overdue_appeals(DATE + A_DAY).done == 0

    assert fresh(entry).hidden_at == fresh(made).hidden_at == DATE
    assert queries.answer_for(handle="bob", now=DATE).status == "under_appeal"
    assert db.session.get(Account, bob.id).standing is Standing.LISTED
    assert changes()[-1] == "hidden"
    assert mails(bob)[-1] == "appeal_overdue"
    assert mails(admin, "appeal_red") == ["appeal_red"]
    assert mails(moderator, "appeal_red") == []

    with pytest.raises(Conflict, match="確認ください"):
        refuse(made, moderator, version=1)
    refuse(fresh(made), moderator, now=DATE + A_DAY)
    assert fresh(entry).hidden_at is None
    assert changes()[-1] == "appeal_closed"
    assert queries.answer_for(handle="bob", now=DATE + A_DAY).status == "listed"


def test_a_late_receipt_lifts_and_closes_the_appeal(alice, bob, moderator):
    entry = listed(alice, bob)
    made = appeal(entry, bob)
    jobs.hide_overdue_appeals(DATE)
    leg = db.session.get(Trade, entry.trade_id).leg_from(bob.id)
    do(overdue.dispatch_late, leg.id, carrier="none", tracking="", by=bob, now=DATE)
    do(
        receipts.confirm_late,
        leg.id,
        arrived_at=DATE + A_DAY,
        by=alice,
        now=DATE + 2 * A_DAY,
    )

    entry, made = fresh(entry), fresh(made)
    assert entry.lift_reason is LiftReason.CURED_LATE
    assert (made.state, made.decided_by_id) == (AppealState.CLOSED, None)
    assert (entry.appealed_at, entry.hidden_at) == (None, None)
    assert mails(bob)[-1] == "lifted"
    with pytest.raises(Conflict, match="登録が終わった"):
        refuse(made, moderator, now=DATE + 3 * A_DAY)
    assert jobs.hide_overdue_appeals(DATE + 90 * A_DAY).done == 0


def test_a_mailed_link_appeals_once_and_older_ones_stay_good(
    alice, bob, moderator, judge
):
    entry = listed(alice, bob)
    uphold(entry, moderator, now=LATER)
    older, newer = token_in(bob, "listed"), token_in(bob, "upheld")
    assert count(AppealLink) == 2
    assert older not in {
        link.token_hash for link in db.session.scalars(select(AppealLink))
    }

    def by_link(token, *, words=WORDS, now=APPEALED):
        return do(appeals.appeal, entry.id, words, [], by=None, link=token, now=now)

    with pytest.raises(RuleBroken):
        by_link(older, words="")
    made = by_link(older)
    assert made.by_link
    refuse(made, judge)
    with pytest.raises(Conflict, match="もう受け取って"):
        by_link(older, words="ほかの控え")
    assert by_link(newer, words="ほかの控え", now=DECIDED).state is AppealState.OPEN
    for wrong in ("", "x" * 43):
        with pytest.raises(NotFound):
            by_link(wrong)


def test_a_link_opens_one_entry_and_no_other(alice, bob, charlie):
    mine, others = listed(alice, bob), listed(alice, charlie)
    token = token_in(charlie, "listed")

    with pytest.raises(NotFound):
        do(appeals.appeal, mine.id, WORDS, [], by=None, link=token, now=APPEALED)
    assert count(Appeal) == 0
    assert others.appealed_at is None
