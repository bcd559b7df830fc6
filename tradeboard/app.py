"""Put the application together: the one file that knows every feature."""

import time
from datetime import timedelta
from pathlib import Path

from flask import Flask, url_for
from flask_login import current_user
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix

from tradeboard.core import lean  # noqa: F401 (before anything loads Babel)

# isort: split
from tradeboard import commands, config
from tradeboard.accounts import passwords
from tradeboard.accounts import staff as accounts_staff
from tradeboard.accounts import views as accounts_views
from tradeboard.accounts.rules import datafiles
from tradeboard.accounts.rules.permissions import Act
from tradeboard.api import views as api_views
from tradeboard.audit import models as _audit_tables  # noqa: F401 (its table)
from tradeboard.blacklist import api as blacklist_api
from tradeboard.blacklist import staff as blacklist_staff
from tradeboard.blacklist import views as blacklist_views
from tradeboard.cards import views as cards_views
from tradeboard.core import clock, fleet, keyring, slow
from tradeboard.core.db import db
from tradeboard.core.kept import Kept
from tradeboard.demo import views as demo_views
from tradeboard.feedback import staff as feedback_staff
from tradeboard.feedback import views as feedback_views
from tradeboard.keeping import figures
from tradeboard.keeping import models as _keeping_tables  # noqa: F401 (its table)
from tradeboard.listings import services as listings
from tradeboard.listings import staff as listings_staff
from tradeboard.listings import views as listings_views
from tradeboard.listings.queries import offered
from tradeboard.moderation import staff as moderation_staff
from tradeboard.notifications import queries as notifications
from tradeboard.notifications import views as notifications_views
from tradeboard.pages import views as pages_views
from tradeboard.privacy import views as privacy_views
from tradeboard.profiles import views as profiles_views
from tradeboard.reports import staff as reports_staff
from tradeboard.reports import views as reports_views
from tradeboard.site import queries as site
from tradeboard.terms import views as terms_views
from tradeboard.todo import queries as todo
from tradeboard.todo import views as todo_views
from tradeboard.trades import queries as trades
from tradeboard.trades import staff as trades_staff
from tradeboard.trades import views as trades_views
from tradeboard.trades.services import negotiation
from tradeboard.web import (
    access,
    announcing,
    carriers,
    compiled,
    error_pages,
    extensions,
    headers,
    health,
    languages,
    logs,
    metrics,
    moments,
    readable,
    replica,
    shell,
    slim,
    spoken,
    statics,
    throttling,
    unread,
)

_known_counts: Kept[int, tuple[int, int]] = Kept(seconds=5, most=2000)

BLUEPRINTS = (
    accounts_views.bp,
    accounts_staff.bp,
    api_views.bp,
    blacklist_api.bp,
    blacklist_api.pages_bp,
    blacklist_staff.bp,
    blacklist_views.bp,
    cards_views.bp,
    feedback_staff.bp,
    feedback_views.bp,
    listings_staff.bp,
    listings_views.bp,
    moderation_staff.bp,
    notifications_views.bp,
    pages_views.bp,
    privacy_views.bp,
    profiles_views.bp,
    reports_staff.bp,
    reports_views.bp,
    terms_views.bp,
    todo_views.bp,
    trades_staff.bp,
    trades_views.bp,
)

# What a replica may answer, and how old at most; all else is read from the primary. A
# lifted entry is gone from every answer within a minute, so the check allows more; a
# page of the board may be kept for a moment besides, so it allows less.
MAY_BE_BEHIND = {
    "blacklist.browse": timedelta(seconds=5),
    "blacklist.numbers": timedelta(seconds=5),
    "blacklist_api.changes": timedelta(seconds=5),
    "blacklist_api.check": timedelta(seconds=10),
    "blacklist_api.export": timedelta(seconds=5),
    "cards.of_member": timedelta(seconds=5),
    "listings.atom": timedelta(seconds=5),
    "listings.board": timedelta(seconds=2),
    "listings.json_feed": timedelta(seconds=5),
    "listings.show": timedelta(seconds=5),
    "listings.suggest": timedelta(seconds=5),
    "profiles.show": timedelta(seconds=5),
}


def templates_folder() -> Path:
    """Find the templates: beside this file in a wheel, above it in a checkout."""
    here = Path(__file__).parent
    installed = here / "templates"
    return installed if installed.is_dir() else here.parent / "templates"


def create_app(**overrides) -> Flask:
    """Build the app; `overrides` win over environment, instance file and defaults."""
    app = slim.Board(
        "tradeboard",
        instance_relative_config=True,
        template_folder=str(templates_folder()),
    )
    app.jinja_environment = spoken.Spoken
    app.testing = bool(overrides.get("TESTING"))
    config.load(app, overrides)
    app.jinja_env.undefined = StrictUndefined
    if app.config["TRUSTED_PROXY_HOPS"]:
        hops = app.config["TRUSTED_PROXY_HOPS"]
        inner = app.wsgi_app
        proxied = ProxyFix(inner, x_for=hops, x_proto=hops, x_host=hops)
        app.wsgi_app = proxied  # type: ignore[method-assign]  # as Flask documents it
    lists = Path(app.instance_path) / "identity"
    datafiles.use_folder(lists if lists.is_dir() else None)
    if app.config["KEYRING"].exists():
        keyring.use_file(app.config["KEYRING"])

    for part in (
        db,
        logs,
        readable,
        carriers,
        languages,
        extensions,
        access,
        error_pages,
        headers,
        moments,
        spoken,
        compiled,
        statics,
        throttling,
    ):
        part.init_app(app)
    commands.init_app(app)
    passwords.init_app(app)
    listings_views.init_app(app, negotiation.listing_changed)
    listings_staff.init_app(app, trades.may_judge)
    cards_views.init_app(app, offered.offered_by, listings.start)
    slow.init_app(app)
    metrics.init_app(app, figures.read)
    health.init_app(app, trades.sweep_lag, notifications.late_by)
    shell.init_app(app, links, counts)
    announcing.init_app(app, site.settings, site.current_announcements)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    if app.config["DEMO"]:
        app.register_blueprint(demo_views.bp)
    replica.init_app(app, MAY_BE_BEHIND)
    unread.init_app(app)
    fleet.init_app(app)
    return app


def links(app: Flask) -> dict[str, str | None]:
    """Return where the parts of the page frame lead."""
    staff = current_user.is_authenticated and current_user.may(Act.OPEN_DESK)
    return {
        "board": url_for("listings.board"),
        "search": url_for("listings.board", _anchor="q"),
        "post": url_for("listings.new"),
        "trades": url_for("trades.index"),
        "todo": url_for("todo.show"),
        "notices": url_for("notices.index"),
        "me": url_for("accounts.me"),
        "blacklist": url_for("blacklist.look_up"),
        "terms": url_for("terms.show"),
        "help": url_for("pages.index"),
        "help_rules": url_for("pages.show", slug="rules"),
        "help_safe": url_for("pages.show", slug="safe-trading"),
        "privacy": url_for("pages.show", slug="privacy"),
        "contact": url_for("pages.show", slug="contact"),
        "desk": url_for("desk.index") if staff else None,
        "login": url_for("accounts.login"),
        "register": url_for("accounts.register"),
        "logout": url_for("accounts.logout"),
        "preferences": url_for("accounts.preferences"),
        "dev_outbox": url_for("demo.outbox") if app.config["DEMO"] else None,
    }


def counts() -> tuple[int, int]:
    """Return how much awaits the person who reads the page, and how much is unread.

    Where people browse, and have not just written, some seconds old.
    """
    who, at = current_user.id, time.monotonic()
    if access.is_browsing() and not replica.just_wrote():
        known = _known_counts.find(who, at=at)
        if known is not None:
            return known
    new = todo.counts(who, clock.now())
    _known_counts.keep(who, new, asked_at=at)
    return new
