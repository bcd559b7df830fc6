"""Make listings through the services; pass what the test is about."""

from tests import pictures
from tests.factories import MONDAY
from tradeboard.cards.models import Card
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core import folding, photo_store
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings import photos, services
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import LineData, ListingData

HAVE = LineData("蒼天の竜王", 1, set_code="TB01-001", condition="A", language="ja")
WANT = LineData("星詠みの魔導師", 1)


def data(*, have=(HAVE,), want=(WANT,), **texts):
    """Return what a form would say."""
    texts = {"ships_from": "40", "ships_to": "domestic"} | texts
    return ListingData(have=tuple(have), want=tuple(want), **texts)


def post(owner, *, now=MONDAY, **texts):
    """Post a listing; return its id."""
    with transaction():
        draft_id = services.start({}, by=owner, now=now).id
        services.post(draft_id, data(**texts), by=owner, now=now)
    return draft_id


def own_card(owner, name, *, side=CardSide.HAVE):
    """Put a card on a list of somebody's."""
    with transaction():
        db.session.add(
            Card(
                account_id=owner.id,
                side=side,
                key=folding.key(name),
                name=name,
                quantity=1,
                added_at=MONDAY,
            )
        )


def draft(owner, form=None, *, now=MONDAY):
    """Keep a draft; return its id."""
    with transaction():
        return services.start(form or {}, by=owner, now=now).id


def do(verb, *args, **kwargs):
    """Let one thing happen in a transaction of its own."""
    with transaction():
        return verb(*args, **kwargs)


def listing(listing_id):
    """Return a listing as it is now."""
    db.session.rollback()
    return db.session.get_one(Listing, listing_id)


def lines(listing_id):
    """Return the ids of a listing's cards."""
    from tradeboard.listings import queries

    return [line.id for line in queries.get_listing(listing_id).lines]


def add_photo(owner, listing_id, app, *, now=MONDAY):
    """Give a listing a photo; return its id."""
    stored = photos.accept(pictures.jpeg(), photo_store.of(app.config))
    do(services.add_photo, listing_id, stored, by=owner, now=now)
    return stored.id
