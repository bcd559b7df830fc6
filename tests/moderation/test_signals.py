"""What is alike is shown to moderators, until one of them has looked at it."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import pages
from tests.factories import count, make_account
from tests.worlds import make_listing, make_trade
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Photo
from tradeboard.moderation import queries
from tradeboard.moderation.rules import spam as rules
from tradeboard.moderation.rules.spam import Kind, Picture
from tradeboard.reports.models import SignalSeen
from tradeboard.trades.models import Message

A_DAY = timedelta(days=1)


@pytest.fixture
def now(app):
    return clock.now()


def kinds(now):
    db.session.rollback()
    return [(signal.kind, signal.count) for signal in queries.signals(now)]


def post(owner, now, *, text="", digest="", number=0):
    listing = make_listing(owner, at=now - A_DAY, text_digest=text)
    if digest:
        with transaction():
            db.session.add(
                Photo(
                    id=f"{owner.id:08}{number:024}",
                    listing_id=listing.id,
                    owner_id=owner.id,
                    position=0,
                    digest=digest,
                    width=1,
                    height=1,
                    added_at=now - A_DAY,
                )
            )
    return listing.id


def test_the_same_text_of_two_or_thrice_of_one_is_a_signal(now, alice, bob, charlie):
    post(alice, now, text="a" * 64)
    post(alice, now, text="a" * 64)
    post(charlie, now, text="c" * 64)
    assert kinds(now) == []

    post(bob, now, text="a" * 64)
    post(charlie, now, text="c" * 64)
    post(charlie, now, text="c" * 64)

    assert kinds(now) == [(Kind.TEXT, 3), (Kind.TEXT, 3)]
    assert kinds(now + 7 * A_DAY) == []


def test_a_photo_that_looks_the_same_is_a_signal_when_two_show_it(now, alice, bob):
    post(alice, now, digest="00000000000000ff")
    post(alice, now, digest="00000000000000ff", number=1)
    assert kinds(now) == []

    post(bob, now, digest="00000000000000f0")

    assert kinds(now) == [(Kind.PHOTO, 3)]


def test_many_listings_are_a_signal_of_the_new_alone(now, bob):
    young = make_account("young", created_at=now - 2 * A_DAY)
    for _ in range(10):
        post(young, now)
        post(bob, now)

    assert kinds(now) == [(Kind.YOUNG, 10)]


def test_one_message_to_many_partners_is_a_signal(now, alice):
    for number in range(4):
        trade = make_trade(alice, make_account(f"p{number}"))
        with transaction():
            for text in ("ほかの場所で話しましょう", "はい"):
                db.session.add(
                    Message(
                        trade_id=trade.id, author_id=alice.id, text=text, sent_at=now
                    )
                )

    assert kinds(now) == [(Kind.MESSAGE, 4)]


def test_what_was_put_away_comes_back_when_it_grows(now, alice, bob, moderator, log_in):
    for owner in (alice, bob):
        post(owner, now, text="a" * 64)
    client = log_in(moderator)

    page = pages.text(pages.get(client, "/desk/signals"))
    assert "同じ文の募集：2件" in page
    assert "気になる投稿" in pages.get(client, "/desk")

    done = pages.submit(client, "/desk/signals", "/desk/signals")
    assert done.status_code == 303
    assert kinds(now) == []
    assert count(SignalSeen) == 1

    post(alice, now, text="a" * 64)
    assert kinds(now) == [(Kind.TEXT, 3)]


def test_signals_are_for_moderators(alice, log_in):
    assert log_in(alice).get("/desk/signals").status_code == 404


@given(
    st.integers(0, 2**64 - 1),
    st.sets(st.integers(0, 63), max_size=rules.NEAR),
    st.sets(st.integers(0, 63), min_size=rules.NEAR + 1, max_size=20),
)
def test_near_photos_are_found_and_others_are_not(digest, near, far):
    def change(bits):
        return digest ^ sum(1 << bit for bit in bits)

    def look(other):
        at = clock.now()
        return rules.alike(
            [Picture("a", 1, 1, digest, at), Picture("b", 2, 2, other, at)]
        )

    assert len(look(change(near))) == 1
    assert look(change(far)) == []
