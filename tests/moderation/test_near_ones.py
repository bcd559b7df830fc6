"""A dishonest moderator reaches near people by no other path than the case's own page.

The pages offer no button to whoever is near to somebody; the requests are refused too.
"""

import pytest
from sqlalchemy import select

from tests import pages
from tests.factories import MONDAY, in_transaction, make_account
from tests.listings import boards
from tests.moderation.matches import make_device, make_hold, use
from tests.worlds import make_trade
from tradeboard.accounts.models import Device, StaffNote
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import blocking, notes
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.listings import services as listings
from tradeboard.listings.rules import ListingState
from tradeboard.moderation import queries


@pytest.fixture(autouse=True)
def far(app):
    """Somebody else of staff is near to nobody."""
    return make_account("far", role=Role.MODERATOR)


def token_of(client):
    page = pages.get(client, "/desk/tools")
    return pages.find_form(page, "/logout").values()["csrf_token"]


def sent(client, url, **fields):
    return client.post(url, data={"csrf_token": token_of(client), **fields})


@pytest.mark.parametrize("how", ["trade", "block"])
def test_nobody_marks_the_browser_of_somebody_near_as_shared(
    alice, bob, moderator, log_in, how
):
    device = make_device("D-SHARED")
    use(alice, device, MONDAY)
    use(bob, device, MONDAY)
    hold = make_hold(alice, bob, device=device, now=clock.now())
    desk, url = log_in(moderator), f"/desk/holds/{hold.id}/devices/{device.id}"
    assert url in pages.get(desk, f"/desk/holds/{hold.id}")
    if how == "trade":
        make_trade(moderator, alice)
    else:
        with in_transaction():
            blocking.block(moderator.id, by=alice, now=clock.now())

    assert url not in pages.get(desk, f"/desk/holds/{hold.id}")
    refused = sent(desk, url, shared="1")

    assert refused.status_code == 403
    assert set(db.session.scalars(select(Device.shared))) == {False}


def test_nobody_hides_or_releases_the_listing_of_a_partner(alice, moderator, log_in):
    make_trade(moderator, alice)
    shown = boards.post(alice, note="ほか")
    held = [boards.post(alice, note="同じ") for _ in range(4)][-1]
    desk = log_in(moderator)
    assert boards.listing(held).held_for == "text"

    released = sent(desk, f"/desk/listings/{held}/restore")
    hidden = [
        sent(desk, f"/desk/listings/{one}/hide", reason="同じ募集")
        for one in (held, shown)
    ]

    assert [one.status_code for one in (released, *hidden)] == [403] * 3
    assert boards.listing(held).held_for == "text"
    assert boards.listing(shown).state is ListingState.OPEN
    boards.do(listings.withdraw, held, by=alice, now=clock.now())


def test_nobody_puts_away_a_note_about_somebody_near(alice, bob, moderator, log_in):
    make_trade(moderator, alice)
    with in_transaction():
        for one in (alice, bob):
            notes.note(NoteKind.EMAIL, one.id, now=clock.now())
    ids = list(db.session.scalars(select(StaffNote.id).order_by(StaffNote.id)))

    desk = log_in(moderator)
    done = [sent(desk, f"/desk/notes/{one}/seen").status_code for one in ids]

    assert done == [403, 303]


def test_a_signal_is_put_away_when_it_is_there_and_about_nobody_near(
    alice, bob, moderator, log_in
):
    make_trade(moderator, alice)
    now = clock.now()
    for owner in (alice, bob):
        for _ in range(3):
            boards.post(owner, now=now, note=f"{owner.handle}の同じ文")
    hers, his = (
        next(s.key for s in queries.signals(now) if s.account_ids == (one.id,))
        for one in (alice, bob)
    )
    desk = log_in(moderator)

    tried = [
        sent(desk, "/desk/signals", key=key).status_code
        for key in (hers, his, his, his[:-1] + "9", "young:1:99", "")
    ]
    assert tried == [403, 303, 303, 404, 404, 404]
    left = {signal.key for signal in queries.signals(now)}
    assert (hers in left, his in left) == (True, False)
