import pytest
from sqlalchemy import select

from tests.factories import A_MOMENT, MONDAY
from tests.trades.stages import AGREED_AT, DAY, DUE, HOUR, Stage
from tradeboard.core.db import db
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import jobs
from tradeboard.trades.services import marks

NOTICES = ("due_not_sent", "due_arrived", "due_add_proof")


def told(*names):
    wanted = [f"trades/mail/{name}.txt" for name in names or NOTICES]
    found = select(OutboxMail.to, OutboxMail.template).where(
        OutboxMail.template.in_(wanted)
    )
    return sorted(
        (to.partition("@")[0], template.split("/")[-1].removesuffix(".txt"))
        for to, template in db.session.execute(found)
    )


def test_both_sides_of_each_open_parcel_are_told_at_the_three_instants(
    committed, alice, bob
):
    committed(Stage(alice, bob).shipped)
    each = [
        ("alice", "due_add_proof"),
        ("bob", "due_arrived"),
        ("bob", "due_not_sent"),
    ]

    jobs.remind(DUE - 7 * DAY - A_MOMENT)
    assert told() == []

    for count, days in enumerate((7, 3, 1), start=1):
        jobs.remind(DUE - days * DAY)
        jobs.remind(DUE - days * DAY + HOUR)
        assert told() == sorted(each * count)

    jobs.remind(DUE)
    assert len(told()) == 9
    for mail in db.session.scalars(select(OutboxMail)):
        if mail.template.startswith("trades/mail/due_"):
            assert "まだ記録されていません" in mailer.render(mail)[1]


def test_a_received_parcel_and_a_proven_one_are_left_alone(committed, alice, bob):
    stage = Stage(alice, bob)
    committed(stage.both_shipped)
    committed(lambda: stage.receive(bob))
    day = (MONDAY + 3 * DAY).date()
    committed(
        lambda: marks.contest(
            stage.leg(bob), delivered_on=day, by=bob, now=MONDAY + 4 * DAY
        )
    )

    jobs.remind(DUE - 3 * DAY)

    assert told() == [("alice", "due_arrived")]


def test_after_days_asleep_only_the_newest_notice_goes_out(committed, alice, bob):
    committed(Stage(alice, bob).shipped)

    jobs.remind(DUE - 2 * DAY)

    assert len(told()) == 3


@pytest.mark.parametrize(
    ("stage_name", "limit", "before", "mail", "whom"),
    [
        ("negotiating", MONDAY - DAY, DAY, "answer_due", ["alice"]),
        ("countered", MONDAY - DAY, DAY, "answer_due", ["bob"]),
        ("revealed", AGREED_AT + 7 * DAY, 2 * DAY, "call_due", ["alice", "bob"]),
    ],
)
def test_an_answer_and_a_call_are_recalled_once(
    committed, alice, bob, stage_name, limit, before, mail, whom
):
    committed(getattr(Stage(alice, bob), stage_name))

    jobs.remind(limit - before - A_MOMENT)
    assert told(mail) == []

    jobs.remind(limit - before)
    jobs.remind(limit - A_MOMENT)
    assert [who for who, _ in told(mail)] == whom
