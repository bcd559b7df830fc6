"""Why a board must not start with its settings: every reason at once, none fixed."""

import stat
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tradeboard.core.engines import POOLERS
from tradeboard.core.shared_counts import SCHEMES

Config = Mapping[str, Any]

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
SHORTEST_SECRET = 32
SHORTEST_TOKEN = 16
# What the examples and the defaults say, and nobody may keep.
EXAMPLES = ("dev", "change-me", "changeme")
# What a password hash costs at least, in KiB and rounds (OWASP, argon2id).
LEAST_MEMORY, LEAST_ROUNDS, LEAST_SECONDS = 19456, 2, 2

KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "SECRET_KEY": (str, "a text"),
    "PUBLIC_URL": (str, "a text"),
    "DEMO": (bool, "true or false"),
    "SMTP_STARTTLS": (bool, "true or false"),
    "TRUSTED_PROXY_HOPS": (int, "a whole number"),
    "ARGON2_MEMORY": (int, "a whole number"),
    "ARGON2_ROUNDS": (int, "a whole number"),
    "QUICKEST_FORM": (int, "a whole number"),
    "LIMIT_FACTOR": (int, "a whole number"),
    "TRACKING_URLS": (dict, "a JSON object"),
    "LANGUAGES": (dict, "a JSON object"),
    "TRUSTED_HOSTS": ((str, list, tuple, type(None)), "a list"),
    "SECRET_KEY_FALLBACKS": ((list, tuple, type(None)), "a list, never one text"),
    "METRICS_TOKEN": ((str, type(None)), "a text"),
    "DATABASE_URL": ((str, type(None)), "a text"),
}


def mistyped(config: Config) -> dict[str, str]:
    """Return by name which settings are of a kind that means something else.

    One text where a list belongs would make each of its letters count; a number in
    the environment is no text, and "False" is not false.
    """
    found = {}
    for name, (kind, said) in KINDS.items():
        value = config.get(name)
        swapped = isinstance(value, bool) and kind is int
        if name in config and (swapped or not isinstance(value, kind)):
            found[name] = f"{name} must be {said}."
    return found


def reasons(config: Config, *, debug: bool) -> list[str]:
    """Return why these settings are unsafe, in the words of whoever runs the board."""
    found = [reason for look in LOOKS for reason in look(config)]
    if debug and not is_local(config):
        found.append("Debug is for loopback only: unset FLASK_DEBUG and DEBUG.")
    return found


def is_local(config: Config) -> bool:
    """Tell whether the board is for this machine alone."""
    return urlsplit(config["PUBLIC_URL"]).hostname in LOOPBACK


def secrets(config: Config) -> Iterator[str]:
    """Look at what signs cookies and opens the figures."""
    names = {"SECRET_KEY": [config["SECRET_KEY"]]}
    names["SECRET_KEY_FALLBACKS"] = list(config.get("SECRET_KEY_FALLBACKS") or ())
    for name, values in names.items():
        if any(_is_weak(value) for value in values):
            yield f"Set {name} to at least {SHORTEST_SECRET} random characters."
    token = config["METRICS_TOKEN"]
    if token is not None and len(token) < SHORTEST_TOKEN:
        yield f"METRICS_TOKEN needs {SHORTEST_TOKEN} random characters."
    if token is not None and not find_spec("prometheus_client"):
        yield (
            "METRICS_TOKEN needs prometheus-client: pip install 'tradeboard[metrics]'."
        )


def _is_weak(secret: object) -> bool:
    if not isinstance(secret, str) or len(secret) < SHORTEST_SECRET:
        return True
    return secret.lower().startswith(EXAMPLES)


def hosts(config: Config) -> Iterator[str]:
    """Look at which names are answered, and what is believed of proxies."""
    named = config["TRUSTED_HOSTS"] or ()
    if any(_is_any_host(host) for host in named):
        yield "TRUSTED_HOSTS names whole hosts, without stars and leading dots."
    if config["TRUSTED_PROXY_HOPS"] < 0:
        yield "TRUSTED_PROXY_HOPS is how many proxies stand in front, or 0."
    if is_local(config) and any(_name_of(host) not in LOOPBACK for host in named):
        yield "Set PUBLIC_URL to the https address that TRUSTED_HOSTS names."


def address(config: Config) -> Iterator[str]:
    """Look at the address of a board that others reach."""
    if is_local(config):
        return
    public = urlsplit(config["PUBLIC_URL"])
    named = config["TRUSTED_HOSTS"]
    if public.scheme != "https":
        yield "PUBLIC_URL must be https outside loopback."
    if public.username or public.password or public.query or public.fragment:
        yield "PUBLIC_URL is a scheme, a host and perhaps a port, nothing else."
    if not named:
        yield "Set TRUSTED_HOSTS to the names of this board."
    elif public.hostname not in [_name_of(host) for host in named]:
        yield f"TRUSTED_HOSTS must name {public.hostname}, as PUBLIC_URL does."


def _name_of(host: object) -> str:
    """Return a host without its port."""
    return urlsplit(f"//{host}").hostname or ""


def _is_any_host(host: object) -> bool:
    return not isinstance(host, str) or not host or "*" in host or host[0] == "."


def playing(config: Config) -> Iterator[str]:
    """Look for what is meant for trying things out."""
    local = is_local(config)
    if config["DEMO"] and not local:
        yield "The demo is for loopback only: unset DEMO."
    if config["LIMIT_FACTOR"] < 1:
        yield "LIMIT_FACTOR must be at least 1."
    if config["LIMIT_FACTOR"] > 1 and not local:
        yield "More than the rates allow is for loopback only: unset LIMIT_FACTOR."
    if config["QUICKEST_FORM"] < LEAST_SECONDS and not local:
        yield "Forms of programs are for loopback only: unset QUICKEST_FORM."
    cheap = (
        config["ARGON2_MEMORY"] < LEAST_MEMORY or config["ARGON2_ROUNDS"] < LEAST_ROUNDS
    )
    if cheap and not local:
        yield (
            f"ARGON2_MEMORY and ARGON2_ROUNDS: at least {LEAST_MEMORY} and "
            f"{LEAST_ROUNDS} outside loopback."
        )


def keys(config: Config) -> Iterator[str]:
    """Look whether the keys are for the board alone, and apart from what they open."""
    ring: Path = config["KEYRING"]
    try:
        mode = stat.S_IMODE(ring.stat().st_mode)
    except OSError:  # There is none yet, or none to be read: the server says so.
        mode = 0
    if mode & 0o077:
        yield f"The keyring is open to others ({mode:04o}): chmod 600 {ring}"
    for name in ("UPLOADS", "BACKUPS"):
        folder = config[name]
        if folder and Path(folder).resolve() in ring.resolve().parents:
            yield f"The keyring lies in {name}: move it, and set KEYRING."


def databases(config: Config) -> Iterator[str]:
    """Look at how the databases are reached."""
    if config["DATABASE_POOLER"] not in POOLERS:
        yield f"DATABASE_POOLER is one of {POOLERS}."
    is_file = config["SQLALCHEMY_DATABASE_URI"].startswith("sqlite")
    if is_file and config["DATABASE_REPLICA_URL"]:
        yield "A replica needs PostgreSQL: unset DATABASE_REPLICA_URL."


def services(config: Config) -> Iterator[str]:
    """Look at what else is reached: counts, photos, mail, carriers."""
    scheme = (config["THROTTLE_URL"] or "redis://").partition("://")[0]
    if scheme not in SCHEMES:
        yield "THROTTLE_URL begins with one of " + ", ".join(SCHEMES)
    if config["THROTTLE_URL"] and not find_spec("redis"):
        yield "THROTTLE_URL needs redis: pip install 'tradeboard[redis]'."
    if config["PHOTO_STORE"] and not config["PHOTO_STORE"].startswith("s3://"):
        yield "PHOTO_STORE is s3://bucket/prefix, or empty for UPLOADS."
    if config["PHOTO_STORE"] and not find_spec("boto3"):
        yield "PHOTO_STORE needs boto3: pip install 'tradeboard[s3]'."
    sends_secret = config["SMTP_PASSWORD"] and not config["SMTP_STARTTLS"]
    if sends_secret and config["SMTP_HOST"] not in LOOPBACK:
        yield "SMTP_PASSWORD would go unencrypted: set SMTP_STARTTLS."
    for url in config["TRACKING_URLS"].values():
        if not str(url).startswith("https://") or "{number}" not in str(url):
            yield f"TRACKING_URLS must be https with {{number}}: {url}"


LOOKS: tuple[Callable[[Config], Iterator[str]], ...] = (
    secrets,
    hosts,
    address,
    databases,
    playing,
    keys,
    services,
)
