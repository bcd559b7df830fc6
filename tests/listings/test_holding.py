"""Listings that come in masses wait, out of sight, until a moderator has decided."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests import pages
from tests.factories import MONDAY, make_account
from tests.listings import boards
from tradeboard.accounts.models import Account, Session
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.core.transaction import transaction
from tradeboard.listings import queries as listings
from tradeboard.listings import services
from tradeboard.listings.rules import ListingState, Side
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
    assert (left.state, left.held_for) == (ListingState.WITHDRAWN, "")
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


def edit(owner, listing_id, now, **texts):
    """Change a listing; return it as it stands."""
    boards.do(services.edit, listing_id, boards.data(**texts), by=owner, now=now)
    return boards.listing(listing_id)


def test_an_edit_that_says_what_three_others_say_waits_and_no_other_edit(alice):
    three = [put(alice, MONDAY, note="同じ").id for _ in range(3)]
    other = put(alice, MONDAY, note="ちがう").id
    later = MONDAY + timedelta(minutes=5)

    assert edit(alice, other, later, note="まだちがう").held_for == ""
    held = edit(alice, other, later, note="同じ")
    assert (held.state, held.held_for) == (ListingState.HIDDEN, "text")
    assert (held.hidden_from, held.changed_at) == (ListingState.OPEN, later)
    assert held.posted_at == MONDAY
    assert {boards.listing(one).state for one in three} == {ListingState.OPEN}
    [signal] = [s for s in queries.signals(later) if s.kind is Kind.HELD]
    assert signal.listing_ids == (other,)


def test_many_made_alike_by_edits_alone_wait_from_the_fourth_on(alice):
    made = [put(alice, MONDAY - 20 * DAY, note=f"{n}").id for n in range(6)]

    edited = [edit(alice, one, MONDAY, note="同じ").held_for for one in made]
    assert edited == ["", "", "", "text", "text", "text"]
    assert put(alice, MONDAY, note="同じ").held_for == "text"


@pytest.mark.parametrize(
    ("after", "held_for"),
    [(timedelta(days=7) - timedelta(microseconds=1), "text"), (7 * DAY, "")],
)
def test_what_was_said_a_week_ago_counts_no_more(alice, after, held_for):
    for _ in range(3):
        put(alice, MONDAY, note="同じ")
    other = put(alice, MONDAY, note="ちがう").id

    assert edit(alice, other, MONDAY + after, note="同じ").held_for == held_for


def test_a_released_listing_is_held_again_only_for_other_words(alice, moderator):
    for _ in range(3):
        put(alice, MONDAY, note="同じ")
    other = put(alice, MONDAY, note="ちがう").id
    edit(alice, other, MONDAY, note="同じ")
    boards.do(services.restore, other, by=moderator, now=MONDAY)
    released = boards.listing(other)
    assert (released.state, released.posted_at) == (ListingState.OPEN, MONDAY)

    same = edit(alice, other, MONDAY, note="同じ", ships_from="13")
    assert (same.state, same.held_for) == (ListingState.OPEN, "")
    assert edit(alice, other, MONDAY, note="また別").held_for == ""
    assert edit(alice, other, MONDAY, note="同じ").held_for == "text"


def test_an_edit_of_the_known_and_many_edits_of_different_texts_wait_for_nobody(
    alice, bob
):
    with transaction():
        db.session.get_one(Account, bob.id).ended_count = 1
    before = MONDAY - 2 * DAY
    hers = [put(alice, before, note=f"{n}").id for n in range(8)]
    his = [put(bob, before, note=f"{n}").id for n in range(8)]

    assert {edit(alice, one, MONDAY, note=f"新{one}").held_for for one in hers} == {""}
    assert {edit(bob, one, MONDAY, note="同じ").held_for for one in his} == {""}


def test_what_two_young_neighbours_say_waits_when_a_third_edits_to_it(app):
    young = [make_account(f"new{n}", created_at=MONDAY - DAY) for n in "abc"]
    with transaction():
        for owner in young:
            db.session.add(session_of(owner, "203.0.113.0/24"))
    made = [put(owner, MONDAY, note=owner.handle).id for owner in young]

    held = [
        edit(owner, one, MONDAY, note="同じ").held_for
        for owner, one in zip(young, made, strict=True)
    ]
    assert held == ["", "", "network"]


def test_a_form_sent_twice_is_one_edit_and_the_page_says_that_it_waits(
    app, alice, log_in
):
    now = clock.now()
    for _ in range(3):
        put(alice, now, note="同じ")
    other = put(alice, now, note="ちがう").id
    client, at = log_in(alice), f"/listings/{other}"
    page = pages.get(client, f"{at}/edit")

    sent, versions = [], set()
    for _ in range(2):
        sent.append(pages.send(client, at, page, f"{at}/edit", note="同じ"))
        versions.add(boards.listing(other).version)

    assert [(one.status_code, one.location) for one in sent] == [(303, at)] * 2
    said = pages.text(pages.get(client, at))
    assert "変更しました。運営が確認してから公開します。" in said
    assert "運営の確認を待っています" in said
    assert app.test_client().get(at).status_code == 404
    assert client.get(f"{at}/edit").status_code == 409
    assert len(versions) == 1


def test_a_held_listing_can_be_withdrawn_and_is_gone_everywhere(
    app, alice, moderator, log_in
):
    now = clock.now()
    held = [put(alice, now, note="同じ").id for _ in range(4)][-1]
    own, desk, at = log_in(alice), log_in(moderator), f"/listings/{held}"
    queue, releasing = "/desk/signals", f"/desk/listings/{held}/restore"
    seen = pages.get(desk, queue)
    assert f"{at}/withdraw" in pages.get(own, at)
    assert "待たずに取り下げることもできます" in pages.get(own, at)
    assert f"{at}/withdraw" in pages.get(own, "/me/listings")

    done = pages.submit(own, f"{at}/withdraw", f"{at}/withdraw")

    assert (done.status_code, done.location) == (303, "/me/listings")
    taken = boards.listing(held)
    assert (taken.state, taken.held_for) == (ListingState.WITHDRAWN, "")
    assert taken.hidden_from is None
    assert "取り下げ" in pages.text(pages.get(own, "/me/listings"))
    assert "運営の確認" not in pages.text(pages.get(own, at))
    assert app.test_client().get(at).status_code == 404
    assert releasing not in pages.get(desk, queue)
    assert pages.send(desk, queue, seen, releasing).status_code == 409
    assert boards.listing(held).state is ListingState.WITHDRAWN


def test_what_staff_has_hidden_is_withdrawn_by_nobody(alice, moderator):
    shown = put(alice, MONDAY).id
    boards.do(services.hide, shown, "写真が違います", by=moderator, now=MONDAY)

    with pytest.raises(Conflict):
        boards.do(services.withdraw, shown, by=alice, now=MONDAY)


def test_a_held_listing_with_promised_copies_is_not_withdrawn(alice, moderator):
    for _ in range(3):
        put(alice, MONDAY, note="同じ")
    two = replace(boards.HAVE, quantity=2)
    other = put(alice, MONDAY, note="ちがう", have=[two]).id
    [line] = listings.get_listing(other).on(Side.HAVE)
    boards.do(services.reserve, {line.id: 1}, now=MONDAY)
    kept = [replace(two, id=line.id)]
    assert edit(alice, other, MONDAY, note="同じ", have=kept).held_for == "text"

    with pytest.raises(Conflict):
        boards.do(services.reserve, {line.id: 1}, now=MONDAY)
    with pytest.raises(Conflict, match="取引が進んでいる"):
        boards.do(services.withdraw, other, by=alice, now=MONDAY)
    boards.do(services.release, {line.id: 1}, now=MONDAY)
    boards.do(services.withdraw, other, by=alice, now=MONDAY)
    assert boards.listing(other).state is ListingState.WITHDRAWN
