"""Moderators decide: who may, what follows, and what if two do at once."""

import pytest
from sqlalchemy import select

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
    uphold,
    withhold,
)
from tests.factories import DUE, MONDAY, count, make_account
from tests.races import race
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.audit import queries as audit
from tradeboard.blacklist import queries
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Decision, EntryDevice, Evidence
from tradeboard.blacklist.rules.entries import EntryState, LiftReason, UpholdReason
from tradeboard.blacklist.services import hand, receipts, review, statements
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.trades.rules.findings import Finding

LATER = DUE + A_DAY


def standing(person):
    db.session.rollback()
    return db.session.get(Account, person.id).standing


@pytest.fixture
def other_moderator(app):
    return make_account("judge", role=Role.MODERATOR)


@pytest.mark.parametrize("reason", UpholdReason)
def test_upholding_lets_it_stand_for_two_years(alice, bob, moderator, reason):
    entry = listed(alice, bob)

    uphold(entry, moderator, now=LATER, reason=reason)

    assert entry.state is EntryState.UPHELD
    assert (entry.upheld_at, entry.listed_at) == (LATER, DUE)
    assert entry.expires_at == LATER + 730 * A_DAY
    assert entry.review_by is None
    assert standing(bob) is Standing.LISTED
    assert mails(bob) == ["listed", "upheld"]
    (answer,) = queries.answer_for(handle="bob", now=LATER).entries
    assert answer.reviewed


def test_upholding_a_held_entry_is_its_publication(alice, bob, moderator):
    make_trade(alice, bob, sent_by=[alice])
    sweep_overdue_trades(DUE)
    entry = entry_of(alice)
    assert queries.answer_for(handle="alice", now=DUE).status == "none"

    uphold(entry, moderator, now=LATER)

    assert (entry.state, entry.listed_at) == (EntryState.UPHELD, LATER)
    assert (entry.list_at, entry.undecided_at) == (None, None)
    assert standing(alice) is Standing.LISTED
    assert queries.answer_for(handle="alice", now=LATER).status == "listed"


@pytest.mark.parametrize(
    "reason",
    ["error", "identity_theft", "delivered", "settled", "evidence_unavailable"],
)
@pytest.mark.parametrize("upheld_first", [False, True])
def test_lifting_ends_what_the_entry_barred(
    alice, bob, moderator, reason, upheld_first
):
    entry = listed(alice, bob)
    if upheld_first:
        uphold(entry, moderator, now=LATER)

    lift(entry, moderator, now=LATER + A_DAY, reason=reason)

    assert (entry.state, entry.lift_reason) == (EntryState.LIFTED, reason)
    assert standing(bob) is Standing.GOOD
    assert mails(bob)[-1] == "lifted"
    assert queries.answer_for(handle="bob", now=LATER).status == "none"
    assert (entry.email_hash, entry.phone_hashes) == (None, [])
    assert count(EntryDevice) == 0
    excused = reason in ("error", "identity_theft")
    assert db.session.get(Account, bob.id).late_count == (0 if excused else 1)


def test_a_held_entry_can_be_lifted(alice, bob, moderator):
    trade = make_trade(alice, bob, sent_by=[alice])
    withhold(trade, bob)
    sweep_overdue_trades(DUE)

    lift(entry_of(bob), moderator, now=LATER)

    assert standing(bob) is Standing.GOOD
    assert mails(bob) == ["partner_default", "held", "lifted"]


def test_lifting_one_entry_leaves_the_others(alice, bob, charlie, moderator):
    first = listed(alice, bob)
    second = listed(charlie, bob)

    lift(first, moderator, now=LATER)

    assert standing(bob) is Standing.LISTED
    assert db.session.get(type(second), second.id).state is EntryState.LISTED


def test_a_second_public_entry_lengthens_both_and_its_end_shortens(
    alice, bob, charlie, moderator
):
    first = listed(alice, bob)
    second = listed(charlie, bob, at=MONDAY + A_DAY)
    db.session.expire_all()
    assert first.expires_at == DUE + 1825 * A_DAY
    assert second.expires_at == DUE + A_DAY + 1825 * A_DAY

    lift(second, moderator, now=LATER + A_DAY)

    db.session.expire_all()
    assert first.expires_at == DUE + 730 * A_DAY


@pytest.mark.parametrize("decide", [uphold, lift])
def test_a_party_cannot_decide(app, alice, decide):
    partner = make_account("partner", role=Role.MODERATOR)
    entry = listed(partner, alice)

    with pytest.raises(NotAllowed):
        decide(entry, partner, now=LATER)
    assert count(Decision) == 0


@pytest.mark.parametrize("role", [Role.MODERATOR, Role.ADMIN])
def test_the_entry_of_a_moderator_needs_another_one(alice, moderator, role):
    judge = make_account("judge", role=role)
    entry = listed(alice, judge)

    with pytest.raises(NotAllowed):
        lift(entry, judge, now=LATER)

    lift(entry, moderator, now=LATER)
    assert standing(judge) is Standing.GOOD


def test_a_member_decides_nothing(alice, bob, charlie):
    entry = listed(alice, bob)

    with pytest.raises(NotAllowed):
        uphold(entry, charlie, now=LATER)


def test_the_second_moderator_is_told_who_decided_what(
    alice, bob, moderator, other_moderator
):
    entry = listed(alice, bob)
    seen = entry.version
    uphold(entry, moderator, now=LATER)

    with pytest.raises(Conflict) as refused:
        lift(entry, other_moderator, now=LATER, version=seen)

    assert str(refused.value) == (
        "modさんが先に判断しました：登録の維持（掲示板の記録で足りる）。"
        "発送の記録がありません。"
    )
    assert count(Decision) == 1
    assert mails(bob) == ["listed", "upheld"]


def test_of_two_moderators_at_once_one_decides(
    app, alice, bob, moderator, other_moderator
):
    entry = listed(alice, bob)
    entry_id, version = entry.id, entry.version
    ids = (moderator.id, other_moderator.id)

    def decide(verb, reason, by_id):
        verb(
            entry_id,
            version,
            reason,
            "確かめました。",
            by=db.session.get(Account, by_id),
            now=LATER,
        )

    ends = race(
        app,
        lambda: decide(review.uphold, UpholdReason.RECORD, ids[0]),
        lambda: decide(review.lift_by_moderator, LiftReason.ERROR, ids[1]),
    )

    assert sorted(ends) == ["Conflict", "done"]
    assert count(Decision) == 1


@pytest.mark.parametrize("sentence", ["", "  ", "あ" * 501])
def test_a_decision_needs_one_sentence(alice, bob, moderator, sentence):
    entry = listed(alice, bob)

    with pytest.raises(RuleBroken) as refused:
        do(
            review.uphold,
            entry.id,
            entry.version,
            UpholdReason.RECORD,
            sentence,
            by=moderator,
            now=LATER,
        )
    assert refused.value.field == "sentence"


def test_moderators_cannot_use_the_reasons_of_time(alice, bob, moderator):
    entry = listed(alice, bob)

    with pytest.raises(RuleBroken):
        lift(entry, moderator, now=LATER, reason="cured_late")


def test_what_is_lifted_stays_lifted(alice, bob, moderator):
    entry = listed(alice, bob)
    lift(entry, moderator, now=LATER)

    with pytest.raises(Conflict):
        uphold(entry, moderator, now=LATER)


def test_every_decision_is_audited(alice, bob, moderator):
    entry = listed(alice, bob)
    uphold(entry, moderator, now=LATER)
    lift(entry, moderator, now=LATER)

    rows = audit.rows_about(f"entry:{entry.id}")
    assert [(row.action, row.actor_id) for row in rows] == [
        ("enter entry", None),
        ("uphold entry", moderator.id),
        ("lift entry", moderator.id),
    ]
    assert not any("発送の記録" in str(row.body) for row in rows)


def by_hand(person, moderator, trade=None, **changes):
    given = {
        "finding": Finding.NOT_AS_AGREED if trade else Finding.BY_HAND,
        "evidence": "写真3枚と両者の説明。",
        "sentence": "届いた品が合意と違いました。",
    } | changes
    return do(
        hand.list_by_hand,
        person.id,
        given["finding"],
        trade.id if trade else None,
        given["evidence"],
        given["sentence"],
        by=moderator,
        now=LATER,
    )


def test_a_moderator_lists_by_hand_with_evidence(alice, bob, moderator):
    trade = both_sent(alice, bob)

    entry = by_hand(bob, moderator, trade)

    assert (entry.state, entry.finding) == (EntryState.LISTED, "not_as_agreed")
    assert entry.shown_state is EntryState.UPHELD
    assert entry.expires_at == LATER + 730 * A_DAY
    assert standing(bob) is Standing.LISTED
    (shown,) = queries.answer_for(handle="bob", now=LATER).entries
    assert shown.reviewed
    assert queries.review_queue(now=LATER) == []
    assert mails(bob) == ["listed"]


@pytest.mark.parametrize("missing", ["evidence", "sentence"])
def test_nobody_is_listed_by_hand_without_evidence_and_sentence(
    alice, bob, moderator, missing
):
    with pytest.raises(RuleBroken) as refused:
        by_hand(bob, moderator, **{missing: " "})

    assert refused.value.field == missing
    assert standing(bob) is Standing.GOOD


def test_not_as_agreed_names_its_trade(bob, moderator):
    with pytest.raises(RuleBroken) as refused:
        by_hand(bob, moderator, finding=Finding.NOT_AS_AGREED)
    assert refused.value.field == "trade"


def test_findings_of_the_sweep_are_not_given_by_hand(bob, moderator):
    with pytest.raises(RuleBroken):
        by_hand(bob, moderator, finding=Finding.NEVER_DISPATCHED)


def test_a_party_or_a_member_lists_nobody(alice, bob, charlie):
    judge = make_account("judge", role=Role.MODERATOR)
    trade = both_sent(judge, bob)

    for by in (judge, charlie):
        with pytest.raises(NotAllowed):
            by_hand(bob, by, trade)
    with pytest.raises(NotAllowed):
        by_hand(judge, judge)


def test_a_stranger_to_the_trade_is_not_listed_for_it(alice, bob, charlie, moderator):
    trade = both_sent(alice, bob)

    with pytest.raises(RuleBroken):
        by_hand(charlie, moderator, trade)


def test_there_is_one_entry_for_each_person_and_trade(alice, bob, moderator):
    trade = never_sent(alice, bob)
    sweep_overdue_trades(DUE)

    with pytest.raises(Conflict):
        by_hand(bob, moderator, trade)


def test_whom_a_moderator_listed_stops_no_sweep_and_no_arrival_frees_him(
    alice, bob, moderator
):
    trade = make_trade(alice, bob, sent_by=[alice])
    entry = by_hand(bob, moderator, trade, finding=Finding.BY_HAND)

    assert sweep_overdue_trades(DUE).failed == 0
    assert entry_of(alice, trade).finding is Finding.COUNTERPARTY_IN_DEFAULT
    assert entry_of(bob, trade).id == entry.id

    leg = trade.leg_from(bob.id)
    do(receipts.confirm_late, leg.id, arrived_at=DUE - A_DAY, by=alice, now=LATER)
    assert entry_of(bob, trade).state is EntryState.LISTED
    assert standing(bob) is Standing.LISTED


def test_the_person_can_bring_something_forward(alice, bob, moderator):
    trade = both_sent(alice, bob)
    contest(trade, alice)
    sweep_overdue_trades(DUE)
    entry = entry_of(bob)
    uphold(entry, moderator, now=LATER)

    do(statements.state, entry.id, "追跡では配達済みです。", by=bob, now=LATER)

    assert db.session.scalars(select(Evidence.kind)).all() == ["statement"]
    assert entry in queries.review_queue(now=LATER)
    assert entry.state is EntryState.UPHELD


def test_nobody_else_speaks_about_an_entry(alice, bob):
    entry = listed(alice, bob)

    with pytest.raises(NotFound):
        do(statements.state, entry.id, "違います", by=alice, now=LATER)


def test_a_statement_names_no_address_of_others(alice, bob):
    entry = listed(alice, bob)

    with pytest.raises(RuleBroken):
        do(statements.state, entry.id, "mail@example.org へ", by=bob, now=LATER)
