"""The filled board in a browser: who looks at it, and at which pages."""

import threading
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from flask_migrate import upgrade
from sqlalchemy import select
from waitress import create_server

from tests import catalogues, databases
from tests.browser.atlas import Atlas
from tests.conftest import Client
from tests.factories import make_session
from tests.soaks import boards
from tradeboard.accounts.models import Account
from tradeboard.app import create_app
from tradeboard.core import clock, keyfile, keyring
from tradeboard.core.db import db
from tradeboard.demo import world
from tradeboard.demo.people import KUROBANE, KUSUNOKI, MINATO, SUZURAN, TSUBAME, YUZU

VISITOR, MEMBER, PARTY, STAFF = "visitor", "member", "party", "staff"
LISTED, HELD, WAITING = "listed", "held", "waiting"
# Tsubame is no party to what Minato trades with others; Kusunoki may open everything.
HANDLES = {
    VISITOR: None,
    PARTY: MINATO,
    STAFF: KUSUNOKI,
    MEMBER: TSUBAME,
    LISTED: KUROBANE,
    HELD: SUZURAN,
    WAITING: YUZU,
}
STARTS = {
    VISITOR: ("/", "/reset", "/confirm/resend"),
    PARTY: ("/", "/todo", "/trades", "/me"),
    STAFF: ("/desk", f"/u/{MINATO}"),
    MEMBER: ("/", "/me"),
    LISTED: ("/blacklist/mine", "/todo", "/me/warnings"),
    HELD: ("/me",),
    WAITING: ("/todo",),
}
FILE, DATA, PICTURE = "a file", "data for programs", "a picture"
STATE = "stands between two forms that are sent; the tests of those send them"
# What answers a GET and is no page, or is one that no link of the board leads to.
NO_PAGES = {
    "static": FILE,
    "cards.export": FILE,
    "desk.stats_file": FILE,
    "trades.calendar": FILE,
    "health.web": DATA,
    "health.scheduler": DATA,
    "metrics.show": DATA,
    "api_document.openapi": DATA,
    "blacklist_api.changes": DATA,
    "blacklist_api.check": DATA,
    "blacklist_api.export": DATA,
    "listings.atom": DATA,
    "listings.json_feed": DATA,
    "listings.suggest": "a part of a page",
    "trades.live": "a part of a page",
    "listings.photo": PICTURE,
    "trades.proof": PICTURE,
    "trades.message_photo": PICTURE,
    "trades.kept_photo": PICTURE,
    "blacklist.picture": PICTURE,
    "blacklist.picture_by_link": PICTURE,
    "desk.person_by_handle": "leads to the page by number",
    "accounts.prove": STATE,
    "accounts.registered": STATE,
    "accounts.second_factor": STATE,
    "accounts.second_factor_set_up": STATE,
    "accounts.reset_with": STATE,
    "listings.confirm_change": STATE,
    "listings.review": STATE,
    "reports.thanks": STATE,
    "blacklist.asked": STATE,
}


@contextmanager
def board():
    """Fill a board of its own on SQLite; yield the application."""
    before = keyring._Holder.ring
    with TemporaryDirectory() as named:
        folder = Path(named)
        keyfile.write_if_missing(folder / "keyring.json")
        catalogues.compile_all()
        app = create_app(
            TESTING=True,
            DEMO=True,
            SECRET_KEY=boards.SECRET,
            DATABASE_URL=databases.url("sqlite", folder),
            KEYRING=folder / "keyring.json",
            UPLOADS=folder / "uploads",
            AUDIT_ANCHORS=folder / "audit-anchors.jsonl",
            QUICKEST_FORM=0,
        )
        app.instance_path = str(folder / "instance")
        app.test_client_class = Client
        try:
            with app.app_context():
                upgrade()
                world.seed(clock.now())
                db.session.remove()
                yield app
                db.session.remove()
                db.engine.dispose()
        finally:
            keyring.use(before)


@contextmanager
def served(app):
    """Serve the board from this process; yield its address."""
    server = create_server(app, host="127.0.0.1", port=0, threads=8)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    before = app.config["PUBLIC_URL"]
    app.config["PUBLIC_URL"] = url = f"http://127.0.0.1:{server.effective_port}"
    try:
        yield url
    finally:
        app.config["PUBLIC_URL"] = before
        server.close()
        thread.join(timeout=5)


def session_cookie(app, handle):
    """Sign somebody in; return the name and the value of the cookie."""
    signer = app.session_interface.get_signing_serializer(app)
    account = db.session.scalars(select(Account).where(Account.handle == handle)).one()
    value = signer.dumps({"_user_id": make_session(account)})
    return app.config["SESSION_COOKIE_NAME"], value


def atlases_of(app):
    """Return the pages that each kind of person reaches, and nobody before."""
    found, known = {}, set()
    for who in HANDLES:
        found[who] = atlas_of(app, who, known)
        known |= set(found[who].pages)
    return found


def atlas_of(app, who, known=frozenset()):
    """Return the pages that this kind of person reaches; known ones are read once."""
    client = app.test_client()
    client.set_cookie("language", "ja")
    if HANDLES[who]:
        client.set_cookie(*session_cookie(app, HANDLES[who]))
    return Atlas(app, client, STARTS[who], known)


def be(page, app, url, who, language):
    """Let a browser be somebody's, in a language."""
    cookies = [("language", language)]
    if HANDLES[who]:
        cookies.append(session_cookie(app, HANDLES[who]))
    page.context.add_cookies(
        [{"name": name, "value": value, "url": url} for name, value in cookies]
    )
