import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests import databases
from tests.demo.conftest import SEEDED_AT
from tests.soaks import lists, rows
from tradeboard.accounts import totp
from tradeboard.accounts.models import Account, Hold, StaffNote
from tradeboard.accounts.rules.passwords import check_password
from tradeboard.accounts.rules.standing import Standing
from tradeboard.blacklist.models import Appeal, Entry
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core import photo_store
from tradeboard.core.db import db
from tradeboard.demo import board as posts
from tradeboard.demo import world
from tradeboard.demo.people import (
    KUROBANE,
    KUSUNOKI,
    MINATO,
    PASSWORD,
    PEOPLE,
    RIN,
    SUZURAN,
    TSUBAME,
    number_of,
)
from tradeboard.feedback import queries as feedback
from tradeboard.feedback.models import Feedback
from tradeboard.feedback.rules import Grade
from tradeboard.listings import photos
from tradeboard.listings.models import Line, Listing, Photo
from tradeboard.listings.rules import ListingState
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Leg, Message, Proof, Proposal, Trade
from tradeboard.trades.rules.states import (
    Answer,
    LegState,
    Party,
    ProposalKind,
    TradeState,
)
from tradeboard.trades.services import phone

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def some(model, *conditions):
    """Tell whether there is such a row."""
    return (
        db.session.scalar(select(func.count()).select_from(model).where(*conditions))
        > 0
    )


def named(handle):
    """Return the number of an account by its handle."""
    return db.session.scalar(select(Account.id).where(Account.handle == handle))


def test_every_state_of_a_listing_is_there(board):
    assert set(world.states()["listing"]) == set(ListingState)


def test_every_state_of_a_trade_is_there(board):
    assert set(world.states()["trade"]) == set(TradeState)


def test_entries_are_in_every_state_but_the_one_that_takes_years(board):
    assert set(world.states()["entry"]) == set(EntryState) - {EntryState.EXPIRED}


def test_one_appeal_waits_and_another_has_waited_too_long(board):
    found = db.session.scalars(select(Appeal).order_by(Appeal.due_at)).all()

    assert [appeal.state for appeal in found] == [AppealState.OPEN] * 2
    assert [appeal.hidden_at is not None for appeal in found] == [True, False]


def test_people_stand_in_different_ways(board):
    found = set(db.session.scalars(select(Account.standing).distinct()))

    assert found == {Standing.GOOD, Standing.HELD, Standing.LISTED}


def test_forty_listings_have_been_posted_or_drafted(board):
    assert len(posts.POSTS) == 40


SHIPPED = Trade.state == TradeState.SHIPPED
AGREED = Trade.state == TradeState.AGREED
JOINED = Proposal.trade_id == Trade.id
OPEN_PROPOSAL = (JOINED, Proposal.answered_at.is_(None))
SUBSTATES = {
    "one sealed": (
        AGREED,
        Trade.phones.any(sealed_at=None),
        Trade.revealed_at.is_(None),
    ),
    "revealed": (
        AGREED,
        Trade.revealed_at.is_not(None),
        Trade.call_closed_at.is_(None),
    ),
    "call closed": (AGREED, Trade.call_closed_at.is_not(None)),
    "cancel proposed": (*OPEN_PROPOSAL, Proposal.kind == ProposalKind.CANCEL),
    "extension proposed": (*OPEN_PROPOSAL, Proposal.kind == ProposalKind.EXTEND),
    "extended": (SHIPPED, Trade.extensions == 1),
    "one leg sent": (SHIPPED, Trade.legs.any(state=LegState.NOT_SENT)),
    "both sent": (SHIPPED, ~Trade.legs.any(Leg.state != LegState.DISPATCHED)),
    "one came": (SHIPPED, Trade.legs.any(state=LegState.RECEIVED)),
    "contested": (SHIPPED, Trade.legs.any(Leg.contested_at.is_not(None))),
    "withheld": (SHIPPED, Trade.legs.any(Leg.withheld_at.is_not(None))),
    "differs": (SHIPPED, Trade.due_at.is_(None)),
    "due soon": (SHIPPED, Trade.due_at < SEEDED_AT + 3 * DAY),
    "countered": (Trade.state == TradeState.NEGOTIATING, Trade.offer_number == 3),
    "settled": (
        JOINED,
        Proposal.kind == ProposalKind.SETTLE,
        Proposal.answer == Answer.AGREED,
    ),
    "silent": (JOINED, Proposal.answer == Answer.SILENCE),
}


@pytest.mark.parametrize("name", SUBSTATES)
def test_every_substate_is_there(board, name):
    assert some(Trade, *SUBSTATES[name])


def test_one_trade_falls_due_in_three_minutes(board):
    next_due = db.session.scalar(select(func.min(Trade.due_at)).where(SHIPPED))

    assert next_due == SEEDED_AT + 3 * MINUTE


def test_nothing_is_overdue_at_the_start(board):
    now = SEEDED_AT

    assert trades.overdue_trade_ids(now) == []
    assert trades.answers_due(now) == trades.quiet_trade_ids(now) == []
    assert trades.silent_proposal_ids(now) == []


def test_more_falls_due_on_later_days(board):
    assert len(trades.overdue_trade_ids(SEEDED_AT + 12 * DAY)) > 4


def test_copies_add_up(board):
    promised = {}
    for trade in db.session.scalars(select(Trade)):
        if trade.agreed_at is None or trade.ended_at is not None:
            continue
        for line_id, copies in trades.promised(trade, Party.POSTER).items():
            promised[line_id] = promised.get(line_id, 0) + copies
    lines = db.session.scalars(select(Line).where(Line.side == "have"))

    assert {line.id: line.reserved for line in lines if line.reserved} == promised


def test_records_are_what_the_trades_say(board):
    for account in db.session.scalars(select(Account)):
        counted = trades.record_of(account.id)
        shown = (account.completed_count, account.partner_count, account.on_time_count)

        assert shown == (counted.completed, counted.partners, counted.on_time)


def test_the_first_member_has_traded_often(board):
    minato = db.session.scalar(select(Account).where(Account.handle == MINATO))

    assert minato.completed_count > 40
    assert minato.on_time_count == minato.ended_count


def test_somebody_is_held_who_used_the_browser_of_a_listed_member(board):
    [hold] = db.session.scalars(select(Hold).where(Hold.ended_at.is_(None)))

    assert hold.account_id == named(SUZURAN)
    assert hold.other_id == named(KUROBANE)
    assert hold.statement
    assert hold.until == SEEDED_AT + timedelta(hours=60)


def test_moderators_have_a_note_to_see(board):
    [note] = db.session.scalars(select(StaffNote))

    assert (note.account_id, note.detail) == (named(RIN), "dummy")
    assert note.seen_at is None


def test_nothing_has_happened_after_now(board):
    for column in (Trade.moved_at, Message.sent_at, OutboxMail.queued_at):
        assert db.session.scalar(select(func.max(column))) <= SEEDED_AT


def test_photos_are_there_in_both_sizes(board):
    ids = db.session.scalars(select(Photo.id)).all()

    stored = photo_store.of(board.config).within(photos.SUBFOLDER)
    assert len(ids) > 40
    for photo_id in ids:
        for width in (480, 2048):
            assert stored.length(photo_id, width)
    assert some(Proof)


def test_old_mails_have_been_delivered(board):
    waiting = db.session.scalars(
        select(OutboxMail.queued_at).where(OutboxMail.sent_at.is_(None))
    )

    assert all(queued >= SEEDED_AT - timedelta(hours=1) for queued in waiting)


def test_no_mail_says_a_number_a_word_or_an_address(board):
    secrets = {number_of(person.handle) for person in PEOPLE}
    secrets |= {number.replace("-", "") for number in secrets}
    secrets |= {"架空町", "Sample Street", PASSWORD}
    for trade in db.session.scalars(select(Trade).where(AGREED)):
        for side in trade.phones:
            secrets.add(" ".join(phone.words_of(trade, side.account_id)))
    with board.test_request_context():
        for mail in db.session.scalars(select(OutboxMail)):
            subject, body = mailer.render(mail)

            assert not [secret for secret in secrets if secret in subject + body]


def test_the_passwords_are_in_a_private_file(board):
    file = Path(board.instance_path) / world.FILE
    people = json.loads(file.read_text())

    assert file.stat().st_mode & 0o777 == 0o600
    assert len(people) == len(PEOPLE)
    assert [person["role"] for person in people[:3]] == ["member", "moderator", "admin"]
    assert people[0]["totp_secret"] is None
    assert people[2]["handle"] == KUSUNOKI
    assert totp.code_at(people[2]["totp_secret"], SEEDED_AT)


def test_the_password_is_a_good_one():
    for person in PEOPLE:
        assert not check_password(PASSWORD, handle=person.handle, email=person.email)


def test_seeding_twice_changes_nothing(board):
    before = world.counts()

    assert board.made == before
    assert world.seed(SEEDED_AT + DAY) == {}
    assert world.counts() == before


def test_the_file_of_passwords_comes_back(board):
    file = Path(board.instance_path) / world.FILE
    before = file.read_text()
    file.unlink()

    world.seed(SEEDED_AT)

    assert file.read_text() == before


def test_an_interrupted_seeding_leaves_nothing(app, monkeypatch):
    monkeypatch.setattr(world, "Pictures", lambda *_: frozenset())
    monkeypatch.setattr(world, "_deliver", lambda _: 1 / 0)
    monkeypatch.setattr(world.running, "tell", lambda _: None)
    for stories in (world.ended, world.appealed, world.held):
        monkeypatch.setattr(stories, "tell", lambda _: None)

    with pytest.raises(ZeroDivisionError):
        world.seed(SEEDED_AT)

    db.session.rollback()
    assert not some(Account)
    assert not some(Listing)
    assert not some(Entry)


def test_feedback_is_shown_waiting_and_hidden(board):
    given = db.session.scalars(select(Feedback)).all()
    waiting = [row for row in given if row.shown_at is None]

    assert len(waiting) == 1
    assert sum(row.hidden_at is not None for row in given) == 1
    assert {row.grade for row in given} == set(Grade)
    for account in db.session.scalars(select(Account)):
        shown = (account.good_count, account.fair_count, account.bad_count)
        assert shown == tuple(vars(feedback.summary_of(account.id)).values())
    may_write = feedback.open_for(named(TSUBAME), SEEDED_AT)
    assert waiting[0].trade_id in {trade.id for trade in may_write}


@pytest.mark.in_turn("kind")
@pytest.mark.parametrize("kind", databases.KINDS)
def test_no_page_asks_more_or_shows_more_than_a_page_as_lists_grow(board, kind):
    keys, compiled = board.config["KEYRING"], board.jinja_env.bytecode_cache

    line = lists.run(db.engine, kind, keys, quick=True, compiled=compiled)

    assert line["violations"] == 0


def test_every_page_is_read_with_many_rows_or_shows_none(board):
    asked = {
        rule.endpoint for rule in board.url_map.iter_rules() if "GET" in rule.methods
    }

    assert asked - set(rows.LISTS) == rows.WITHOUT_ROWS
