"""Every row of the listing's table, through the verbs that move it."""

from datetime import timedelta

import pytest

from tests.factories import MONDAY, make_account
from tests.listings import boards
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import standing
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken, TooMany
from tradeboard.core.transaction import transaction
from tradeboard.listings import queries, services
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState

S = ListingState
MONTH = timedelta(days=30)


def state(listing_id):
    return boards.listing(listing_id).state


def reserve_all(listing_id, now=MONDAY):
    have = boards.lines(listing_id)[0]
    boards.do(services.reserve, {have: 1}, now=now)
    return have


def test_a_draft_may_be_kept_by_any_account(app):
    newcomer = make_account("newcomer", agreed=False, confirmed=False)

    draft = boards.draft(newcomer, {"note": "とりあえず"})

    assert state(draft) is S.DRAFT
    assert boards.listing(draft).form == {"note": "とりあえず"}


def test_a_posted_draft_is_open_for_30_days(alice):
    listing_id = boards.post(alice)

    listing = boards.listing(listing_id)
    assert listing.state is S.OPEN
    assert listing.posted_at == MONDAY
    assert listing.expires_at == MONDAY + MONTH
    assert listing.terms_number == 1
    assert listing.form == {}


def test_posting_needs_the_terms(app):
    dora = make_account("dora", agreed=False)

    with pytest.raises(NotAllowed):
        boards.post(dora)


@pytest.mark.parametrize("confirmed", [True, False])
def test_posting_needs_good_standing(app, confirmed):
    dora = make_account("dora", confirmed=confirmed, standing=Standing.LISTED)

    with pytest.raises(NotAllowed):
        boards.post(dora)


def test_without_a_confirmed_address_it_waits_and_is_not_public(app):
    dora = make_account("dora", confirmed=False)

    listing_id = boards.post(dora)

    assert state(listing_id) is S.AWAITING_EMAIL
    assert boards.listing(listing_id).posted_at is None
    with pytest.raises(NotFound):
        queries.get_visible(listing_id, None)


def test_it_opens_the_moment_the_address_is_confirmed(app):
    dora = make_account("dora", confirmed=False)
    listing_id = boards.post(dora)
    later = MONDAY + timedelta(days=2)

    boards.do(services.open_awaiting, dora.id, now=later)

    listing = boards.listing(listing_id)
    assert listing.state is S.OPEN
    assert listing.posted_at == later
    assert listing.expires_at == later + MONTH


def test_it_is_reserved_when_nothing_free_is_left(alice):
    listing_id = boards.post(alice)

    reserve_all(listing_id)

    assert state(listing_id) is S.RESERVED


def test_it_is_open_again_when_a_reservation_is_released(alice):
    listing_id = boards.post(alice)
    have = reserve_all(listing_id)

    boards.do(services.release, {have: 1}, now=MONDAY)

    assert state(listing_id) is S.OPEN


def test_it_is_traded_when_everything_is_gone(alice):
    listing_id = boards.post(alice)
    have = reserve_all(listing_id)

    boards.do(services.trade_away, {have: 1}, now=MONDAY)

    assert state(listing_id) is S.TRADED


def test_an_expired_one_can_be_renewed_and_keeps_its_place(alice):
    listing_id = boards.post(alice)
    boards.do(services.expire, listing_id, now=MONDAY + MONTH)
    assert state(listing_id) is S.EXPIRED
    later = MONDAY + timedelta(days=40)

    boards.do(services.renew, listing_id, by=alice, now=later)

    listing = boards.listing(listing_id)
    assert listing.state is S.OPEN
    assert (listing.posted_at, listing.expires_at) == (MONDAY, later + MONTH)


def test_an_offer_may_be_agreed_on_although_the_listing_has_expired(alice):
    listing_id = boards.post(alice)
    boards.do(services.expire, listing_id, now=MONDAY + MONTH)

    have = reserve_all(listing_id)
    assert state(listing_id) is S.EXPIRED
    boards.do(services.release, {have: 1}, now=MONDAY)
    assert state(listing_id) is S.EXPIRED
    reserve_all(listing_id)
    boards.do(services.trade_away, {have: 1}, now=MONDAY)

    assert state(listing_id) is S.TRADED


@pytest.mark.parametrize("from_state", [S.OPEN, S.EXPIRED, S.AWAITING_EMAIL])
def test_its_owner_may_withdraw_it(app, from_state):
    dora = make_account("dora", confirmed=from_state is not S.AWAITING_EMAIL)
    listing_id = boards.post(dora)
    if from_state is S.EXPIRED:
        boards.do(services.expire, listing_id, now=MONDAY + MONTH)
    assert state(listing_id) is from_state

    boards.do(services.withdraw, listing_id, by=dora, now=MONDAY)

    assert state(listing_id) is S.WITHDRAWN


def test_it_cannot_be_withdrawn_while_a_trade_is_running_on_it(alice):
    two = [boards.HAVE, boards.LineData("旋風の一撃", 2, condition="B")]
    listing_id = boards.post(alice, have=two)
    reserve_all(listing_id)

    with pytest.raises(Conflict):
        boards.do(services.withdraw, listing_id, by=alice, now=MONDAY)

    assert state(listing_id) is S.OPEN


def test_others_can_neither_edit_nor_renew_nor_withdraw(alice, bob):
    listing_id = boards.post(alice)

    for verb in (services.withdraw, services.renew):
        with pytest.raises(NotFound):
            boards.do(verb, listing_id, by=bob, now=MONDAY)
    with pytest.raises(NotFound):
        boards.do(services.edit, listing_id, boards.data(), by=bob, now=MONDAY)


@pytest.mark.parametrize("before", [S.AWAITING_EMAIL, S.OPEN, S.RESERVED, S.EXPIRED])
def test_a_moderator_hides_and_restores_it_as_before(app, moderator, before):
    dora = make_account("dora", confirmed=before is not S.AWAITING_EMAIL)
    listing_id = boards.post(dora)
    if before is S.RESERVED:
        reserve_all(listing_id)
    if before is S.EXPIRED:
        boards.do(services.expire, listing_id, now=MONDAY + MONTH)

    boards.do(services.hide, listing_id, "写真が別のもの", by=moderator, now=MONDAY)
    assert state(listing_id) is S.HIDDEN
    assert boards.listing(listing_id).hidden_reason == "写真が別のもの"
    boards.do(services.restore, listing_id, by=moderator, now=MONDAY)

    assert state(listing_id) is before
    assert boards.listing(listing_id).hidden_reason == ""


def test_what_was_given_back_while_it_was_hidden_is_free_after_it(alice, moderator):
    listing_id = boards.post(alice)
    have = reserve_all(listing_id)
    boards.do(services.hide, listing_id, "確認中", by=moderator, now=MONDAY)

    boards.do(services.release, {have: 1}, now=MONDAY)
    assert state(listing_id) is S.HIDDEN
    boards.do(services.restore, listing_id, by=moderator, now=MONDAY)

    assert state(listing_id) is S.OPEN


def test_a_hidden_one_cannot_be_agreed_on_but_a_running_trade_ends(alice, moderator):
    two = [boards.LineData("旋風の一撃", 2, condition="B")]
    listing_id = boards.post(alice, have=two)
    have = reserve_all(listing_id)
    boards.do(services.hide, listing_id, "確認中", by=moderator, now=MONDAY)

    with pytest.raises(Conflict):
        boards.do(services.reserve, {have: 1}, now=MONDAY)
    boards.do(services.trade_away, {have: 1}, now=MONDAY)

    assert state(listing_id) is S.HIDDEN


def test_one_whose_owner_confirmed_meanwhile_is_open_after_it(app, moderator):
    dora = make_account("dora", confirmed=False)
    listing_id = boards.post(dora)
    boards.do(services.hide, listing_id, "確認中", by=moderator, now=MONDAY)
    with transaction():
        db.session.get_one(Account, dora.id).email_confirmed_at = MONDAY
        services.open_awaiting(dora.id, now=MONDAY)

    boards.do(services.restore, listing_id, by=moderator, now=MONDAY)

    assert state(listing_id) is S.OPEN
    assert boards.listing(listing_id).expires_at == MONDAY + MONTH


def test_a_hidden_one_stays_hidden_when_its_last_trade_ends(alice, moderator):
    listing_id = boards.post(alice)
    have = reserve_all(listing_id)
    boards.do(services.hide, listing_id, "確認中", by=moderator, now=MONDAY)

    boards.do(services.trade_away, {have: 1}, now=MONDAY)
    assert state(listing_id) is S.HIDDEN
    boards.do(services.restore, listing_id, by=moderator, now=MONDAY)

    assert state(listing_id) is S.TRADED


def test_hiding_is_for_moderators_with_a_reason(alice, bob, moderator):
    listing_id = boards.post(alice)

    with pytest.raises(NotAllowed):
        boards.do(services.hide, listing_id, "嫌い", by=bob, now=MONDAY)
    with pytest.raises(RuleBroken):
        boards.do(services.hide, listing_id, "  ", by=moderator, now=MONDAY)
    with pytest.raises(Conflict):
        boards.do(services.restore, listing_id, by=moderator, now=MONDAY)


@pytest.mark.parametrize("end", ["withdraw", "trade"])
def test_what_is_final_stays(alice, moderator, end):
    listing_id = boards.post(alice)
    if end == "withdraw":
        boards.do(services.withdraw, listing_id, by=alice, now=MONDAY)
    else:
        boards.do(services.trade_away, {reserve_all(listing_id): 1}, now=MONDAY)

    for verb, words in (
        (services.hide, ("理由",)),
        (services.renew, ()),
        (services.withdraw, ()),
    ):
        by = moderator if words else alice
        with pytest.raises(Conflict):
            boards.do(verb, listing_id, *words, by=by, now=MONDAY)


def test_a_young_account_posts_three_a_day(app):
    young = make_account("young", created_at=MONDAY - timedelta(days=6))
    for _ in range(3):
        boards.post(young)

    with pytest.raises(TooMany):
        boards.post(young)
    boards.post(young, now=MONDAY + timedelta(days=1))


def test_a_listing_of_somebody_barred_is_not_shown_until_he_is_good(alice, moderator):
    listing_id = boards.post(alice)
    boards.do(standing.restrict, alice.id, "entry:1", Standing.HELD, now=MONDAY)

    assert queries.board_page(queries.Filters()).rows == []
    with pytest.raises(NotFound):
        queries.get_visible(listing_id, None)
    boards.do(standing.release, alice.id, "entry:1", now=MONDAY)

    assert [tile.id for tile in queries.board_page(queries.Filters()).rows] == [
        listing_id
    ]


def test_a_discarded_draft_is_gone(alice, bob):
    draft = boards.draft(alice)

    with pytest.raises(NotFound):
        boards.do(services.discard, draft, by=bob, now=MONDAY)
    boards.do(services.discard, draft, by=alice, now=MONDAY)

    assert db.session.get(Listing, draft) is None


def test_nobody_piles_up_drafts(alice):
    for _ in range(50):
        boards.draft(alice)

    with pytest.raises(RuleBroken):
        boards.draft(alice)
