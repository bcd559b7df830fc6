"""Every setting, its default and its meaning; an unsafe start is refused.

Order: these defaults, `instance/config.py`, `TRADEBOARD_…` from the environment, then
the arguments of `create_app`. Days, limits and ladders are rules, not settings.
"""

from pathlib import Path

from flask import Flask

from tradeboard.core import unsafe
from tradeboard.core.db import REPLICA
from tradeboard.core.engines import engine_options

DEFAULTS = {
    # Signs cookies and form tokens; at least 32 characters outside debug and tests.
    "SECRET_KEY": "dev",
    # SQLite beside the configuration, or postgresql://user:password@host/name.
    "DATABASE_URL": None,
    # "transaction" if a pooler such as PgBouncer stands between, in that mode.
    "DATABASE_POOLER": "",
    # A standby that answers public pages while it is less than five seconds behind.
    "DATABASE_REPLICA_URL": None,
    # How people reach the board; links in mails start with it.
    "PUBLIC_URL": "http://127.0.0.1:8000",
    # Host names that are answered; compulsory unless PUBLIC_URL is on loopback.
    "TRUSTED_HOSTS": None,
    # How many proxies of our own stand in front; 0 ignores what they would say.
    "TRUSTED_PROXY_HOPS": 0,
    # Demo data, and a page that shows every mail; never in production.
    "DEMO": False,
    # redis:// or valkey:// for counts that all hosts share; else a table counts.
    "THROTTLE_URL": None,
    # Multiplies every rate, for measuring; more than 1 on loopback only.
    "LIMIT_FACTOR": 1,
    # How many seconds a stranger's form takes at least; fewer on loopback only.
    "QUICKEST_FORM": 2,
    # The file with the keys, and the folder with the photos.
    "KEYRING": None,
    "UPLOADS": None,
    # s3://bucket/prefix for photos that all hosts share, in place of the folder; and
    # where that store is, unless it is Amazon's.
    "PHOTO_STORE": "",
    "S3_ENDPOINT_URL": None,
    # The file that the last rows of the audit log are noted in, and a syslog socket or
    # host:port for the same.
    "AUDIT_ANCHORS": None,
    "AUDIT_SYSLOG": None,
    # Where mail is handed over; without a host it waits in the outbox.
    "SMTP_HOST": None,
    "SMTP_PORT": 587,
    "SMTP_USER": None,
    "SMTP_PASSWORD": None,
    "SMTP_STARTTLS": True,
    # A file of certificates to trust instead of the system's, for one's own server.
    "SMTP_CA_FILE": None,
    "SMTP_TIMEOUT": 10,
    "MAIL_FROM": "tradeboard@localhost",
    # What the board calls itself in mails.
    "SITE_NAME": "トレード掲示板",
    # Each language with its own name, Japanese first; its catalogue stands in a folder
    # named like it below TRANSLATIONS.
    "LANGUAGES": {
        "ja": "日本語",
        "en": "English",
    },
    "TRANSLATIONS": None,
    "LOG_LEVEL": "INFO",
    # A statement that takes longer is logged, without what it was about; 0 logs none.
    "SLOW_QUERY_MS": 500,
    # Opens /metrics to whoever sends it as a bearer token; None: there is no such page.
    "METRICS_TOKEN": None,
    # The folder of backups, best on another disk; None: none are made by the clock.
    "BACKUPS": None,
    # For whom backups are encrypted by the program age, and the file with the key to
    # try them, which belongs on no machine that could lose the backups with it.
    "BACKUP_RECIPIENT": None,
    "BACKUP_IDENTITY": None,
    # Pages of carriers that tell where a parcel is, by the carrier's code, in place of
    # the built-in ones; each with {number}. In the environment: a JSON object.
    "TRACKING_URLS": {},
    # Cost of a password hash: memory in KiB and rounds of argon2id.
    "ARGON2_MEMORY": 19456,
    "ARGON2_ROUNDS": 2,
}

FIXED = {
    "SESSION_COOKIE_HTTPONLY": True,
    "SESSION_COOKIE_SAMESITE": "Lax",
    "SESSION_COOKIE_PATH": "/",
    "SESSION_COOKIE_DOMAIN": None,
    "PERMANENT_SESSION_LIFETIME": 60 * 24 * 3600,
    "SESSION_REFRESH_EACH_REQUEST": False,
    "WTF_CSRF_ENABLED": True,
    "WTF_CSRF_CHECK_DEFAULT": True,
    "WTF_CSRF_TIME_LIMIT": None,
    # Pages behind mailed links send no referrer; access.require_same_origin looks.
    "WTF_CSRF_SSL_STRICT": False,
    "MAX_CONTENT_LENGTH": 50 * 1024 * 1024,
    "MAX_FORM_MEMORY_SIZE": 1024 * 1024,
    "MAX_FORM_PARTS": 400,
    "BABEL_DEFAULT_LOCALE": "ja",
    "BABEL_DEFAULT_TIMEZONE": "Asia/Tokyo",
}

FILE = "tradeboard.sqlite3"


class UnsafeConfiguration(RuntimeError):
    """The application must not start like this; the text lists every reason."""


def load(app: Flask, overrides: dict) -> None:
    """Fill `app.config`, or raise UnsafeConfiguration with all reasons at once.

    With LOOKED_AT nothing is served, and the reasons are kept under UNSAFE instead.
    """
    app.config.from_mapping(DEFAULTS)
    app.config.from_pyfile("config.py", silent=True)
    app.config.from_prefixed_env("TRADEBOARD")
    app.config.update(overrides)
    app.config.update(FIXED, TESTING=bool(overrides.get("TESTING")))
    mistyped = unsafe.mistyped(app.config)
    app.config.update({name: DEFAULTS.get(name) for name in mistyped})
    _derive(app)
    reasons = [*mistyped.values(), *why_unsafe(app)]
    app.config["UNSAFE"] = reasons
    if reasons and not overrides.get("LOOKED_AT"):
        raise UnsafeConfiguration("\n".join(reasons))


def _derive(app: Flask) -> None:
    config, folder = app.config, Path(app.instance_path)
    url = _with_driver(config["DATABASE_URL"] or f"sqlite:///{folder / FILE}")
    options = engine_options(url, config["DATABASE_POOLER"])
    config["SQLALCHEMY_DATABASE_URI"] = url
    config["SQLALCHEMY_ENGINE_OPTIONS"] = options
    if config["DATABASE_REPLICA_URL"]:
        there = _with_driver(config["DATABASE_REPLICA_URL"])
        config["SQLALCHEMY_BINDS"] = {REPLICA: {"url": there, **options}}
    config["KEYRING"] = Path(config["KEYRING"] or folder / "keyring.json")
    packaged = Path(__file__).parent / "translations"
    config["TRANSLATIONS"] = Path(config["TRANSLATIONS"] or packaged)
    config["UPLOADS"] = Path(config["UPLOADS"] or folder / "uploads")
    anchors = config["AUDIT_ANCHORS"] or folder / "audit-anchors.jsonl"
    config["AUDIT_ANCHORS"] = Path(anchors)
    config["PUBLIC_URL"] = config["PUBLIC_URL"].rstrip("/")
    https = config["PUBLIC_URL"].startswith("https://")
    config["SESSION_COOKIE_SECURE"] = https
    config["SESSION_COOKIE_NAME"] = "__Host-session" if https else "session"
    config["PREFERRED_URL_SCHEME"] = "https" if https else "http"
    if isinstance(config["TRUSTED_HOSTS"], str):
        hosts = config["TRUSTED_HOSTS"].replace(",", " ").split()
        config["TRUSTED_HOSTS"] = hosts


def _with_driver(url: str) -> str:
    if url.startswith("postgres://"):
        return "postgresql://" + url.removeprefix("postgres://")
    return url


def why_unsafe(app: Flask) -> list[str]:
    """Return why this configuration is unsafe; tests may be, debug on loopback too."""
    on_loopback = unsafe.is_local(app.config)
    if app.testing or app.debug and on_loopback:
        return []
    return unsafe.reasons(app.config, debug=app.debug)
