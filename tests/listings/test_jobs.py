"""What time does to listings."""

import os
from datetime import timedelta

from tests import pictures
from tests.factories import A_MOMENT, MONDAY, count
from tests.listings import boards
from tradeboard.core import clock, photo_store
from tradeboard.listings import jobs, photos, services
from tradeboard.listings.rules import ListingState
from tradeboard.notifications.models import OutboxMail

END = MONDAY + timedelta(days=30)
THREE_DAYS = timedelta(days=3)


def test_a_listing_ends_after_30_days(alice):
    listing_id = boards.post(alice)

    assert jobs.expire_listings(END) == 1

    assert boards.listing(listing_id).state is ListingState.EXPIRED


def test_the_last_moment_is_spared(alice):
    listing_id = boards.post(alice)

    assert jobs.expire_listings(END - A_MOMENT) == 0

    assert boards.listing(listing_id).state is ListingState.OPEN


def test_a_second_round_does_nothing(alice):
    boards.post(alice)
    jobs.expire_listings(END)

    assert jobs.expire_listings(END) == 0


def test_a_renewal_that_was_faster_is_respected(alice):
    listing_id = boards.post(alice)
    boards.do(services.renew, listing_id, by=alice, now=END - A_MOMENT)

    assert jobs.expire_listings(END) == 0


def test_the_owner_is_told_once_three_days_before(alice):
    listing_id = boards.post(alice)

    assert jobs.tell_of_ends(END - THREE_DAYS - A_MOMENT) == 0
    assert jobs.tell_of_ends(END - THREE_DAYS) == 1
    assert jobs.tell_of_ends(END - A_MOMENT) == 0
    assert count(OutboxMail, OutboxMail.template == "listings/mail/ends_soon.txt") == 1

    boards.do(services.renew, listing_id, by=alice, now=END - A_MOMENT)
    assert jobs.tell_of_ends(END + timedelta(days=28)) == 1


def test_files_that_no_listing_names_go_after_a_day(app, alice):
    store = photo_store.of(app.config)
    stored = store.within(photos.SUBFOLDER)
    listing_id = boards.post(alice)
    kept = boards.add_photo(alice, listing_id, app)
    young, old = (photos.accept(pictures.jpeg(), store).id for _ in range(2))
    half = stored.folder / f"{'ab' * 16}-480.part"
    half.touch()
    for file in (*stored.folder.glob(f"{kept}*"), *stored.folder.glob(f"{old}*"), half):
        os.utime(file, (0, 0))

    jobs.clean_photos(clock.now() + timedelta(hours=1))

    left = {(file.name, file.width) for file in stored.files()}
    assert {(kept, 480), (kept, 2048), (young, 480), (young, 2048)} <= left
    assert {name for name, _ in left}.isdisjoint({old, "ab" * 16})
