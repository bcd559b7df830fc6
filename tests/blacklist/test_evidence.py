"""Pictures that were brought forward: who gets them, from which address, and how."""

import pytest
from PIL import Image

from tests import pages
from tests.blacklist.cases import (
    A_DAY,
    appeal,
    do,
    entry_of,
    lift,
    listed,
    picture,
    token_in,
)
from tests.factories import DUE, MONDAY, make_account
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist import photos
from tradeboard.blacklist.models import EvidenceFile
from tradeboard.blacklist.services import evidence
from tradeboard.core import photo_store
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken


@pytest.fixture
def brought(app, alice, bob):
    """Bob's entry, with a picture of his and one of hers."""
    entry = listed(alice, bob)
    his, hers = (
        photos.accept(picture()[0].read(), photo_store.of(app.config)) for _ in range(2)
    )
    appeal(entry, bob, files=[his])
    do(evidence.add, entry, "answer", "届いていません", [hers], by=alice, now=DUE)
    return entry, his, hers


def test_who_gets_a_picture_from_which_address(
    app, alice, bob, charlie, moderator, log_in, brought
):
    entry, his, hers = brought
    token = token_in(bob, "listed")
    listed(alice, charlie, at=MONDAY + A_DAY)
    others = token_in(charlie, "listed")
    clients = {
        "stranger": (app.test_client(), 303),
        "member": (log_in(charlie), 404),
        "person": (log_in(bob), 200),
        "partner": (log_in(alice), 200),
        "staff": (log_in(moderator), 200),
    }

    for who, (client, status) in clients.items():
        for file in (his, hers):
            for width in (480, 2048):
                url = f"/evidence/{file.id}-{width}.jpg"
                answer = client.get(url)
                assert answer.status_code == status, who
                if status == 200:
                    assert answer.headers["Cache-Control"] == "private, no-store", who
                    assert answer.mimetype == "image/jpeg"

    visitor = app.test_client()
    for path, status in (
        (f"/appeals/{token}/evidence/{his.id}-480.jpg", 200),
        (f"/appeals/{token}/evidence/{hers.id}-480.jpg", 404),
        (f"/appeals/{others}/evidence/{his.id}-480.jpg", 404),
        (f"/appeals/wrong/evidence/{his.id}-480.jpg", 404),
        (f"/appeals/{token}/evidence/{his.id}-100.jpg", 404),
        (f"/appeals/{token}/evidence/{'0' * 32}-480.jpg", 404),
        (f"/appeals/{token}/evidence/x-480.jpg", 404),
    ):
        answer = visitor.get(path)
        assert answer.status_code == status, path
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        if status == 200:
            assert answer.headers["Cache-Control"] == "private, no-store"
    assert log_in(bob).get(f"/evidence/{his.id}-100.jpg").status_code == 404
    assert log_in(bob).get("/evidence/x-480.jpg").status_code == 404

    lift(db.session.merge(entry), moderator, now=DUE + 3 * A_DAY)
    gone = visitor.get(f"/appeals/{token}/evidence/{his.id}-480.jpg")
    assert gone.status_code == 404


def test_what_travelled_with_a_picture_is_not_kept(app, alice, bob, log_in):
    entry = listed(alice, bob)
    out, name = picture()
    with Image.open(out) as image:
        exif = image.getexif()
        exif[0x010E] = "where I live"
        out.seek(0)
        image.save(out, "JPEG", exif=exif)
    out.seek(0)
    url = f"/blacklist/mine/{entry.id}"

    answer = pages.submit(
        log_in(bob), url, f"{url}/statement", words="控え", photo=(out, name)
    )

    assert answer.status_code == 303
    file = db.session.query(EvidenceFile).one()
    folder = photo_store.of(app.config).within(photos.SUBFOLDER).folder
    stored = folder / f"{file.id}-2048.jpg"
    assert b"where I live" not in stored.read_bytes()
    assert not any("控え" in one.name for one in folder.iterdir())


def test_there_is_an_end_to_how_many_pictures_one_brings(alice, bob, app):
    make_account("root", role=Role.ADMIN)
    listed(alice, bob)
    entry = entry_of(bob)
    many = [photos.Stored(f"{n:032x}", 1, 1) for n in range(evidence.MOST_FILES + 1)]

    with pytest.raises(RuleBroken, match="30枚"):
        do(evidence.add, entry, "statement", "", many, by=bob, now=DUE)
    do(evidence.add, entry, "statement", "", many[1:], by=bob, now=DUE)
    # The same picture again is the same picture.
    do(evidence.add, entry, "statement", "", many[1:2], by=bob, now=DUE)
