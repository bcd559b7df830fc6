"""Photos on pages, from a folder and from a bucket: the same to whoever looks."""

import pytest

from tests import pages
from tests.blacklist import cases
from tests.factories import count
from tests.listings import boards
from tests.page_forms import get, submit
from tests.trades.test_views_shipping import picture
from tests.worlds import make_trade
from tradeboard.blacklist.models import EvidenceFile
from tradeboard.core import clock, photo_store
from tradeboard.core.db import db
from tradeboard.listings.models import Listing
from tradeboard.trades.models import Proof

AWAY = "http://127.0.0.1:9"
NEW = "/listings/new"


@pytest.fixture(params=["folder", "bucket"])
def place(request, app, tmp_path, monkeypatch):
    """Keep photos in an empty place of each sort."""
    settings = {"PHOTO_STORE": "", "UPLOADS": tmp_path / "photos"}
    if request.param == "bucket":
        settings = request.getfixturevalue("bucket")
    for name, value in settings.items():
        monkeypatch.setitem(app.config, name, value)
    return photo_store.of(app.config)


def test_a_photo_looks_the_same_from_both(app, place, alice):
    listing_id = boards.post(alice)
    name = boards.add_photo(alice, listing_id, app)
    visitor, url = app.test_client(), f"/photos/{name}-480.jpg"

    first = visitor.get(url)
    head = visitor.head(url)
    again = visitor.get(url, headers={"If-None-Match": first.headers["ETag"]})
    place.within("listings").remove(name)

    assert (first.status_code, first.mimetype) == (200, "image/jpeg")
    assert first.data.startswith(b"\xff\xd8")
    assert int(first.headers["Content-Length"]) == len(first.data)
    assert head.headers["Content-Length"] == first.headers["Content-Length"]
    assert (again.status_code, again.data) == (304, b"")
    for answer in (first, head, again):
        assert answer.headers["ETag"] == f'"{name}-480"'
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["Content-Security-Policy"].startswith("sandbox")
        assert "Location" not in answer.headers
    assert (visitor.get(url).status_code, visitor.head(url).status_code) == (404, 404)


def test_what_is_private_is_for_its_parties_and_kept_nowhere(
    app, place, log_in, alice, bob, charlie
):
    trade = make_trade(alice, bob, at=clock.now())
    _dispatch(log_in(alice), trade, alice)
    (proof,) = db.session.query(Proof).all()
    url = f"/proofs/{proof.id}-480.jpg"

    theirs = log_in(bob).get(url)

    assert theirs.status_code == 200
    held = {"If-None-Match": theirs.headers["ETag"]}
    assert theirs.headers["Cache-Control"] == "private, no-store"
    assert log_in(bob).get(url, headers=held).status_code == 304
    assert log_in(charlie).get(url, headers=held).status_code == 404
    assert app.test_client().get(url, headers=held).status_code == 303
    assert log_in(bob).get(f"/proofs/{proof.id}-100.jpg").status_code == 404
    assert {file.name for file in place.within("proofs").files()} == {proof.id}


def test_a_bucket_that_is_away_loses_nothing_that_was_typed(
    app, bucket, log_in, alice, bob, monkeypatch
):
    for setting, value in bucket.items():
        monkeypatch.setitem(app.config, setting, value)
    listing_id = boards.post(alice)
    name = boards.add_photo(alice, listing_id, app)
    entry = cases.listed(alice, bob)
    trade = make_trade(alice, bob, at=clock.now())
    monkeypatch.setitem(app.config, "S3_ENDPOINT_URL", AWAY)
    hers = log_in(alice)

    shown = hers.get(f"/photos/{name}-480.jpg")
    typed = {"have-0-name": "蒼天の竜王", "note": "スリーブ入り"}
    drafted = submit(hers, NEW, button="do=photo", photo=picture(), **typed)
    sent = _dispatch(hers, trade, alice)
    mine = f"/blacklist/mine/{entry.id}"
    said = pages.submit(
        log_in(bob), mine, f"{mine}/statement", words="控えです", photo=picture()
    )

    assert (shown.status_code, shown.headers["Retry-After"]) == (503, "30")
    for answer, kept in (
        (drafted, "スリーブ入り"),
        (sent, "4444-1375-8703"),
        (said, "控えです"),
    ):
        assert answer.status_code == 503
        page = answer.get_data(as_text=True)
        assert "写真をいま保存できません" in page
        assert kept in page
    assert (count(Proof), count(EvidenceFile)) == (0, 0)
    assert "スリーブ入り" in get(hers, f"/listings/drafts/{_draft_id()}")


def _dispatch(client, trade, sender):
    leg = trade.leg_from(sender.id).id
    return pages.submit(
        client,
        f"/trades/{trade.id}/dispatch",
        f"/trades/legs/{leg}/dispatch",
        tracking="4444-1375-8703",
        photo=picture(),
    )


def _draft_id():
    return db.session.scalars(db.select(db.func.max(Listing.id))).one()
