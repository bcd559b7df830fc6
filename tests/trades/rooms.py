"""Bring a trade to a stage over HTTP, as two people would."""

import re

from sqlalchemy import select

from tests import pages
from tests.worlds import make_listing
from tradeboard.core.db import db
from tradeboard.trades.models import Trade

NUMBERS = ("090-1111-2222", "080-3333-4444")
ADDRESSES = ("〒100-0001 東京都千代田区一番 アリス", "〒530-0001 大阪市北区二番 ボブ")


def number_in(location):
    """Return the trade's number in an address."""
    return int(re.search(r"/trades/([0-9]+)", location)[1])


def propose(owner, client, *, quantity=1):
    """Let a client offer for a fresh listing of `owner`; return the trade's id."""
    listing = make_listing(owner, quantity=quantity)
    answer = pages.submit(client, f"/listings/{listing.id}/offer", button="do=send")
    assert answer.status_code == 303, pages.text(answer.text)
    return number_in(answer.location)


def accept(client, trade_id):
    """Press the button that agrees to the newest version."""
    url = f"/trades/{trade_id}"
    return pages.submit(client, url, f"{url}/accept")


def seal(client, trade_id, number, address):
    """Put number and address under seal."""
    url = f"/trades/{trade_id}/call"
    return pages.submit(client, url, f"{url}/seal", number=number, address=address)


def seal_both(trade_id, one, other):
    """Seal both sides: the numbers open."""
    for client, number, address in zip((one, other), NUMBERS, ADDRESSES, strict=True):
        assert seal(client, trade_id, number, address).status_code == 303


def words_on(client, trade_id):
    """Read the two words that a side reads aloud from its page."""
    page = pages.get(client, f"/trades/{trade_id}/call")
    found = re.findall(r'<span class="word">(.+?)</span>', page)
    assert len(found) == 2
    return found


def type_words(client, trade_id, words, **fields):
    """Type what was heard."""
    url = f"/trades/{trade_id}/call"
    first, second = words
    return pages.submit(
        client, url, f"{url}/words", first=first, second=second, **fields
    )


def confirm_call(trade_id, one, other):
    """Let both read and type their words."""
    hers, his = words_on(one, trade_id), words_on(other, trade_id)
    assert type_words(one, trade_id, his, called="y").status_code == 303
    assert type_words(other, trade_id, hers).status_code == 303


def dispatch(client, trade_id, *, carrier="yamato", tracking="4444-1375-8703"):
    """Say on the page of dispatch that it is on its way."""
    url = f"/trades/{trade_id}/dispatch"
    action = f"/trades/legs/{leg_id(client, url, 'dispatch')}/dispatch"
    return pages.submit(client, url, action, carrier=carrier, tracking=tracking)


def receive(client, trade_id, **fields):
    """Say on the page of receipt that it has come."""
    url = f"/trades/{trade_id}/receive"
    action = f"/trades/legs/{leg_id(client, url, 'receipt')}/receipt"
    fields.setdefault("condition", "as_agreed")
    return pages.submit(client, url, action, **fields)


def leg_id(client, url, verb):
    """Return the parcel that a page's form is about."""
    return int(re.search(rf"/trades/legs/([0-9]+)/{verb}", pages.get(client, url))[1])


def get(trade_id):
    """Return a trade as the database has it now."""
    db.session.rollback()
    return db.session.scalar(select(Trade).where(Trade.id == trade_id))
