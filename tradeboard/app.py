"""Put the application together: the one file that knows every feature."""

from pathlib import Path

from flask import Flask, url_for
from flask_login import current_user
from flask_migrate import Migrate
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix

from tradeboard import cli, config
from tradeboard.accounts import passwords
from tradeboard.accounts import staff as accounts_staff
from tradeboard.accounts import views as accounts_views
from tradeboard.accounts.rules import datafiles
from tradeboard.api import views as api_views
from tradeboard.audit import models as _audit_tables  # noqa: F401 (its table)
from tradeboard.blacklist import api as blacklist_api
from tradeboard.blacklist import staff as blacklist_staff
from tradeboard.blacklist import views as blacklist_views
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.demo import views as demo_views
from tradeboard.listings import staff as listings_staff
from tradeboard.listings import views as listings_views
from tradeboard.moderation import staff as moderation_staff
from tradeboard.pages import views as pages_views
from tradeboard.privacy import views as privacy_views
from tradeboard.profiles import views as profiles_views
from tradeboard.terms import views as terms_views
from tradeboard.todo import queries as todo
from tradeboard.todo import views as todo_views
from tradeboard.trades import queries as trades
from tradeboard.trades import staff as trades_staff
from tradeboard.trades import views as trades_views
from tradeboard.trades.services import negotiation
from tradeboard.web import (
    access,
    carriers,
    error_pages,
    extensions,
    headers,
    health,
    logs,
    moments,
    readable,
    shell,
    statics,
)

BLUEPRINTS = (
    accounts_views.bp,
    accounts_staff.bp,
    api_views.bp,
    blacklist_api.bp,
    blacklist_api.pages_bp,
    blacklist_staff.bp,
    blacklist_views.bp,
    listings_staff.bp,
    listings_views.bp,
    moderation_staff.bp,
    pages_views.bp,
    privacy_views.bp,
    profiles_views.bp,
    terms_views.bp,
    todo_views.bp,
    trades_staff.bp,
    trades_views.bp,
)


def templates_folder() -> Path:
    """Find the templates: beside this file in a wheel, above it in a checkout."""
    here = Path(__file__).parent
    installed = here / "templates"
    return installed if installed.is_dir() else here.parent / "templates"


def create_app(**overrides) -> Flask:
    """Build the app; `overrides` win over environment, instance file and defaults."""
    app = Flask(
        "tradeboard",
        instance_relative_config=True,
        template_folder=str(templates_folder()),
    )
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
        readable,
        carriers,
        extensions,
        access,
        logs,
        error_pages,
        headers,
        moments,
        statics,
    ):
        part.init_app(app)
    Migrate(
        app,
        db,
        directory=str(Path(__file__).parent / "migrations"),
        render_as_batch=True,
        compare_type=True,
    )
    passwords.init_app(app)
    listings_views.init_app(app, negotiation.listing_changed)
    health.init_app(app, trades.sweep_lag)
    shell.init_app(app, links, open_tasks)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    if app.config["DEMO"]:
        app.register_blueprint(demo_views.bp)
    cli.init_app(app)
    return app


def links(app: Flask) -> dict[str, str | None]:
    """Return where the parts of the page frame lead."""
    staff = current_user.is_authenticated and current_user.is_staff
    return {
        "board": url_for("listings.board"),
        "search": url_for("listings.board", _anchor="q"),
        "post": url_for("listings.new"),
        "trades": url_for("trades.index"),
        "todo": url_for("todo.show"),
        "me": url_for("accounts.me"),
        "blacklist": url_for("blacklist.look_up"),
        "terms": url_for("terms.show"),
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


def open_tasks() -> int:
    """Return how many things await the person who reads the page."""
    if not current_user.is_authenticated:
        return 0
    return todo.count(current_user.id, clock.now())
