"""What time does to listings."""

import os
from datetime import timedelta

from tests.factories import A_MOMENT, MONDAY, count
from tests.listings import boards
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
    uploads = app.config["UPLOADS"]
    listing_id = boards.post(alice)
    kept = boards.add_photo(alice, listing_id, app)
    young = photos.accept(boards.jpeg(), uploads).id
    old = photos.accept(boards.jpeg(), uploads).id
    for name in (kept, old):
        path = photos.path(uploads, name, 480)
        os.utime(path, (0, 0))
    now = MONDAY.fromtimestamp(
        path.with_name(f"{young}-480.jpg").stat().st_mtime, MONDAY.tzinfo
    )

    jobs.clean_photos(now + timedelta(hours=1))

    assert photos.path(uploads, kept, 480).exists()
    assert photos.path(uploads, young, 480).exists()
    assert not photos.path(uploads, old, 480).exists()
    assert not photos.path(uploads, old, 2048).exists()
