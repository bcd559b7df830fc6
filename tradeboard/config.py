"""Every setting, its default and its meaning; an unsafe start is refused.

Order: these defaults, `instance/config.py`, `TRADEBOARD_…` from the environment, then
the arguments of `create_app`. Days, limits and ladders are rules, not settings.
"""

from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask

from tradeboard.core.db import engine_options

DEFAULTS = {
    # Signs cookies and form tokens; at least 32 characters outside debug and tests.
    "SECRET_KEY": "dev",
    # SQLite beside the configuration, or postgresql://user:password@host/name.
    "DATABASE_URL": None,
    # How people reach the board; links in mails start with it.
    "PUBLIC_URL": "http://127.0.0.1:8000",
    # Host names that are answered; compulsory unless PUBLIC_URL is on loopback.
    "TRUSTED_HOSTS": None,
    # How many proxies of our own stand in front; 0 ignores what they would say.
    "TRUSTED_PROXY_HOPS": 0,
    # Demo data, and a page that shows every mail; never in production.
    "DEMO": False,
    # The file with the keys, and the folder with the photos.
    "KEYRING": None,
    "UPLOADS": None,
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
    "LOG_LEVEL": "INFO",
    # Cost of a password hash: memory in KiB and rounds of argon2id.
    "ARGON2_MEMORY": 19456,
    "ARGON2_ROUNDS": 2,
}

FIXED = {
    "SESSION_COOKIE_HTTPONLY": True,
    "SESSION_COOKIE_SAMESITE": "Lax",
    "PERMANENT_SESSION_LIFETIME": 60 * 24 * 3600,
    "SESSION_REFRESH_EACH_REQUEST": False,
    "WTF_CSRF_TIME_LIMIT": None,
    # Pages behind mailed links send no referrer; access.require_same_origin looks.
    "WTF_CSRF_SSL_STRICT": False,
    "MAX_CONTENT_LENGTH": 50 * 1024 * 1024,
    "MAX_FORM_MEMORY_SIZE": 1024 * 1024,
    "MAX_FORM_PARTS": 400,
    "BABEL_DEFAULT_LOCALE": "ja",
    "BABEL_DEFAULT_TIMEZONE": "Asia/Tokyo",
}

LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class UnsafeConfiguration(RuntimeError):
    """The application must not start like this; the text lists every reason."""


def load(app: Flask, overrides: dict) -> None:
    """Fill `app.config`, or raise UnsafeConfiguration with all reasons at once."""
    app.config.from_mapping(DEFAULTS)
    app.config.from_pyfile("config.py", silent=True)
    app.config.from_prefixed_env("TRADEBOARD")
    app.config.update(overrides)
    app.config.update(FIXED)
    _derive(app)
    reasons = unsafe(app)
    if reasons:
        raise UnsafeConfiguration("\n".join(reasons))


def _derive(app: Flask) -> None:
    config, folder = app.config, Path(app.instance_path)
    url = config["DATABASE_URL"] or f"sqlite:///{folder / 'tradeboard.sqlite3'}"
    if url.startswith("postgres://"):
        url = "postgresql://" + url.removeprefix("postgres://")
    config["SQLALCHEMY_DATABASE_URI"] = url
    config["SQLALCHEMY_ENGINE_OPTIONS"] = engine_options(url)
    config["KEYRING"] = Path(config["KEYRING"] or folder / "keyring.json")
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


def unsafe(app: Flask) -> list[str]:
    """Return why this configuration is unsafe; debug and tests may be."""
    config = app.config
    if app.debug or app.testing:
        return []
    public = urlsplit(config["PUBLIC_URL"])
    on_loopback = public.hostname in LOOPBACK
    reasons = []
    if config["SECRET_KEY"] == "dev" or len(config["SECRET_KEY"]) < 32:
        reasons.append("Set TRADEBOARD_SECRET_KEY to at least 32 random characters.")
    if not on_loopback and public.scheme != "https":
        reasons.append("TRADEBOARD_PUBLIC_URL must be https outside loopback.")
    if not on_loopback and not config["TRUSTED_HOSTS"]:
        reasons.append("Set TRADEBOARD_TRUSTED_HOSTS to the names of this board.")
    if config["DEMO"] and not on_loopback:
        reasons.append("The demo is for loopback only: unset DEMO.")
    return reasons
