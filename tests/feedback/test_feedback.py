"""Scenario 15, and what else double-blind means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from tests.factories import A_MOMENT, MONDAY, count, in_transaction, make_account
from tests.feedback.worlds import DAY, ENDED, ended, say
from tests.races import race
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.feedback import jobs, queries, rules, services
from tradeboard.feedback.models import Feedback
from tradeboard.feedback.rules import Grade, Summary
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.rules.states import TradeState


def seen(trade_id, person, now=ENDED):
    """Return what one of the two sees."""
    db.session.rollback()
    return queries.room_of(trades.get_trade(trade_id), person.id, now)


def told():
    found = select(OutboxMail.to, OutboxMail.key).order_by(OutboxMail.id)
    return [
        row.to
        for row in db.session.execute(found)
        if row.key.startswith("feedback-shown:")
    ]


def grades(person):
    db.session.refresh(person)
    return person.good_count, person.fair_count, person.bad_count


def test_both_appear_in_one_transaction_and_neither_before(app, alice, bob):
    trade_id = ended(alice, bob)
    before = seen(trade_id, bob)
    say(trade_id, alice, "bad", "荷物がつぶれていました", tags=["quick", "loose"])

    assert seen(trade_id, bob) == before  # as if she had not written
    assert seen(trade_id, alice).own.grade is Grade.BAD
    assert (told(), grades(bob)) == ([], (0, 0, 0))
    assert queries.shown_about(bob.id, limit=9) == []

    say(trade_id, bob, "good", at=ENDED + DAY)

    hers, his = seen(trade_id, alice), seen(trade_id, bob)
    assert hers.own == his.theirs
    assert hers.theirs == his.own
    assert hers.own.shown_at == his.own.shown_at == ENDED + DAY
    assert hers.own.tags == ["quick", "loose"]
    assert sorted(told()) == [alice.email, bob.email]
    assert (grades(alice), grades(bob)) == ((1, 0, 0), (0, 0, 1))


def test_what_waits_is_shown_after_fourteen_days_once_and_ends_the_partners_turn(
    app, alice, bob
):
    trade_id = ended(alice, bob)
    say(trade_id, alice, "fair")
    due = ENDED + 14 * DAY

    assert jobs.reveal(due - A_MOMENT).done == 0
    assert seen(trade_id, bob, due - A_MOMENT).may_write
    assert jobs.reveal(due).done == 1
    assert jobs.reveal(due).done == 0

    room = seen(trade_id, bob, due)
    assert (room.theirs.grade, room.may_write) == (Grade.FAIR, False)
    assert (told(), grades(bob)) == ([bob.email], (0, 1, 0))
    assert queries.open_for(bob.id, due) == []
    with pytest.raises(Conflict):
        say(trade_id, bob, "bad", at=due)


@pytest.mark.parametrize("state", list(TradeState))
def test_it_opens_when_all_came_or_something_never_did(app, alice, bob, state):
    trade_id = ended(alice, bob, state=state)
    opens = state in (TradeState.RECEIVED, TradeState.DEFAULTED)

    assert [trade.id for trade in queries.open_for(bob.id, ENDED)] == [trade_id] * opens
    if opens:
        last = ENDED + 30 * DAY
        assert seen(trade_id, bob, last - A_MOMENT).may_write
        assert not seen(trade_id, bob, last).may_write
        assert queries.open_for(bob.id, last) == []
        say(trade_id, bob)
        assert queries.open_for(bob.id, ENDED) == []
        assert len(queries.open_for(alice.id, ENDED)) == 1
    with pytest.raises(Conflict):
        say(trade_id, bob)


def test_nothing_is_edited_and_strangers_have_no_say(app, alice, bob, charlie):
    trade_id = ended(alice, bob)
    say(trade_id, alice, "good", "ありがとうございました")

    with pytest.raises(Conflict):
        say(trade_id, alice, "bad")
    with pytest.raises(NotFound):
        say(trade_id, charlie)
    assert count(Feedback) == 1


@pytest.mark.parametrize(
    ("grade", "tags", "words", "field"),
    [
        ("", (), "", "grade"),
        ("great", (), "", "grade"),
        ("good", ("scam",), "", "tags"),
        ("good", tuple(rules.TAGS)[:5], "", "tags"),
        ("good", (), "あ" * 201, "words"),
        ("good", (), "電話は０９０ー１２３４ー５６７８", "words"),
        ("good", (), "somebody@example.org まで", "words"),
    ],
)
def test_what_cannot_be_said_is_refused_at_its_field(
    app, alice, bob, grade, tags, words, field
):
    trade_id = ended(alice, bob)

    with pytest.raises(RuleBroken) as refusal:
        say(trade_id, alice, grade, words, tags=tags)

    assert refusal.value.field == field


def test_two_who_write_at_once_are_both_shown(app, alice, bob):
    trade_id = ended(alice, bob)
    people = [alice.id, bob.id]

    def write(account_id):
        def verb():
            by = db.session.get_one(type(alice), account_id)
            services.write(trade_id, "good", (), "", by=by, now=ENDED)

        return verb

    assert race(app, *map(write, people)) == ["done", "done"]
    assert count(Feedback, Feedback.shown_at.is_not(None)) == 2


def test_one_pair_counts_once_in_thirty_days_with_the_worst_of_it(app, alice, bob):
    for day, grade in ((0, "good"), (10, "bad"), (20, "good"), (31, "good")):
        at = ENDED + day * DAY
        trade_id = ended(alice, bob, at=at)
        say(trade_id, bob, grade, at=at)
        say(trade_id, alice, at=at)
    trade_id = ended(alice, make_account("dora"), at=ENDED)
    say(trade_id, trades.get_trade(trade_id).proposer, "fair")
    say(trade_id, alice)

    assert grades(alice) == (1, 1, 1)


SAID = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.integers(0, 200).map(lambda n: MONDAY + n * DAY),
        st.sampled_from(Grade),
    ),
    min_size=1,
)


@given(SAID, st.integers(0, 29), st.sampled_from(Grade), st.data())
def test_saying_it_again_within_thirty_days_never_raises_the_good(
    said, later, grade, data
):
    firsts = [group[0] for group in rules.groups((w, at, (w, at)) for w, at, _ in said)]
    who, at = data.draw(st.sampled_from(firsts))

    again = rules.summary([*said, (who, at + later * DAY, grade)])

    before = rules.summary(said)
    assert again.good <= before.good
    assert again.bad >= before.bad
    assert sum(vars(again).values()) == sum(vars(before).values())
    assert rules.summary([]) == Summary()


def test_a_moderator_hides_the_words_and_not_the_grade(
    app, alice, bob, charlie, moderator
):
    trade_id = ended(alice, bob)
    waiting = say(trade_id, alice, "bad", "ひどい言葉").id
    with pytest.raises(NotFound), in_transaction():
        services.hide_words(waiting, "insult", by=moderator, now=ENDED)
    say(trade_id, bob)

    with pytest.raises(NotAllowed), in_transaction():
        services.hide_words(waiting, "insult", by=charlie, now=ENDED)
    with pytest.raises(RuleBroken), in_transaction():
        services.hide_words(waiting, "dislike", by=moderator, now=ENDED)
    with in_transaction():
        services.hide_words(waiting, "insult", by=moderator, now=ENDED)
    with pytest.raises(Conflict), in_transaction():
        services.hide_words(waiting, "insult", by=moderator, now=ENDED)

    row = queries.get_shown(waiting)
    assert (row.grade, row.hidden_at, row.hidden_reason) == (
        Grade.BAD,
        ENDED,
        "insult",
    )
    assert grades(bob) == (0, 0, 1)
    with in_transaction():
        services.restore_words(waiting, by=moderator, now=ENDED)
    assert queries.get_shown(waiting).hidden_at is None
    rows = db.session.scalars(select(AuditRow).order_by(AuditRow.seq)).all()
    assert [(one.action, one.object, one.body) for one in rows[-2:]] == [
        ("hide words", f"feedback:{waiting}", {"reason": "insult"}),
        ("restore words", f"feedback:{waiting}", {}),
    ]
