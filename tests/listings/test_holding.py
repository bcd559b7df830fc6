"""Listings that come in masses wait, out of sight, until a moderator has decided."""

from datetime import timedelta

import pytest

from tests import pages
from tests.factories import MONDAY, make_account
from tests.listings import boards
from tradeboard.accounts.models import Account, Session
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings import services
from tradeboard.listings.rules import ListingState
from tradeboard.listings.rules.holding import Held, Lately, why
from tradeboard.moderation import queries
from tradeboard.moderation.rules.spam import Kind
from tradeboard.notifications.models import OutboxMail

DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("age", "ended", "lately", "expected"),
    [
        (20 * DAY, 0, Lately(7, 2, 9), None),
        (20 * DAY, 0, Lately(8, 0, 0), Held.PACE),
        (20 * DAY, 0, Lately(8, 3, 0), Held.TEXT),
        (2 * DAY, 0, Lately(0, 0, 1), None),
        (2 * DAY, 0, Lately(0, 0, 2), Held.NETWORK),
        (14 * DAY, 0, Lately(0, 0, 2), None),
        (90 * DAY, 0, Lately(8, 0, 0), Held.PACE),
        (30 * DAY, 1, Lately(19, 19, 9), None),
        (30 * DAY - timedelta(seconds=1), 1, Lately(8, 0, 0), Held.PACE),
    ],
)
def test_what_comes_in_masses_waits_but_not_of_the_known(age, ended, lately, expected):
    assert why(age, ended, lately) is expected


def put(owner, now, **texts):
    """Post a listing; return it as it stands."""
    return boards.listing(boards.post(owner, now=now, **texts))


def test_a_fourth_of_one_text_waits_and_is_released_or_hidden_by_moderators(
    app, alice, moderator, log_in
):
    now = clock.now()
    first = [put(alice, now, note=n) for n in ("ｱ同じ", "ア同じ", "ア同じ")]
    held, other = put(alice, now, note="ア同じ"), put(alice, now, note="ア同じ")

    assert {one.state for one in first} == {ListingState.OPEN}
    assert (held.state, held.held_for) == (ListingState.HIDDEN, "text")
    held_id, other_id = held.id, other.id
    visitor, own, desk = app.test_client(), log_in(alice), log_in(moderator)
    at = f"/listings/{held_id}"
    assert visitor.get(at).status_code == 404
    said = pages.text(pages.get(own, at))
    assert "運営の確認を待っています" in said
    assert "同じ内容の募集がくり返し出された" in said
    assert "ふつうは3日以内に確認します" in said
    assert "運営の確認待ち" in pages.get(own, "/me/listings")

    (signal,) = [s for s in queries.signals(now) if s.kind is Kind.HELD]
    assert (signal.count, signal.listing_ids) == (2, (held_id, other_id))
    queue = "/desk/signals"
    released = pages.submit(desk, queue, f"/desk/listings/{held_id}/restore")
    hiding = f"/desk/listings/{other_id}/hide"
    assert hiding in pages.get(desk, queue)
    hidden = pages.submit(desk, hiding, reason="同じ募集が4件あります")

    assert (released.status_code, hidden.status_code) == (303, 303)
    held, other = boards.listing(held_id), boards.listing(other_id)
    assert (held.state, held.held_for) == (ListingState.OPEN, "")
    assert held.posted_at >= now
    assert held.expires_at > now + 29 * DAY
    assert visitor.get(at).status_code == 200
    assert (other.state, other.held_for) == (ListingState.HIDDEN, "")
    assert other.hidden_reason == "同じ募集が4件あります"
    assert not [s for s in queries.signals(now) if s.kind is Kind.HELD]
    mails = [mail.template for mail in db.session.query(OutboxMail)]
    assert {"listings/mail/released.txt", "listings/mail/hidden.txt"} <= set(mails)


def test_a_ninth_within_an_hour_waits_unless_its_owner_is_known(alice, bob):
    with transaction():
        db.session.get_one(Account, bob.id).ended_count = 1
    for owner, last in ((alice, ListingState.HIDDEN), (bob, ListingState.OPEN)):
        states = [put(owner, MONDAY, note=f"{n}枚目").state for n in range(9)]
        assert states == [ListingState.OPEN] * 8 + [last]

    later = MONDAY + timedelta(minutes=61)
    assert put(alice, later, note="あとで").state is ListingState.OPEN


def test_what_two_young_neighbours_said_waits_when_a_third_says_it(app):
    young = [make_account(f"new{n}", created_at=MONDAY - DAY) for n in "abcd"]
    with transaction():
        for number, owner in enumerate(young):
            for at in {"203.0.113.0/24", f"198.51.{number}.0/24"}:
                far = owner is young[3] and at.startswith("203")
                db.session.add(session_of(owner, "" if far else at))
    boards_of = [put(owner, MONDAY, note="同じ") for owner in young]

    assert [one.held_for for one in boards_of] == ["", "", "network", ""]


def test_what_waited_of_somebody_who_left_waits_for_nobody(alice):
    held = [put(alice, MONDAY, note="同じ") for _ in range(4)][-1]
    assert held.held_for == "text"

    boards.do(services.leave, alice.id, now=MONDAY)

    left = boards.listing(held.id)
    assert (left.state, left.held_for) == (ListingState.HIDDEN, "")
    assert not [s for s in queries.signals(MONDAY) if s.kind is Kind.HELD]


def session_of(owner, network):
    """Return a session from some network."""
    moments = ("created_at", "last_seen_at", "expires_at", "ends_at", "signed_in_at")
    return Session(
        token_hash=f"{owner.id}-{network}",
        account_id=owner.id,
        network=network,
        **dict.fromkeys(moments, MONDAY),
    )
