"""A board on several hosts: two web hosts behind a proxy, one database."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import Flask
from flask_migrate import upgrade

from tests.soaks.boards import SECRET
from tests.soaks.hosts import parts
from tests.soaks.hosts.network import Network, Running
from tradeboard.app import create_app
from tradeboard.core import keyfile, keyring
from tradeboard.core.db import db

WEB = ("web1", "web2")


@dataclass
class World:
    """Where everything is, and the application as the test itself uses it."""

    network: Network
    database: parts.Database
    environment: dict[str, str]
    app: Flask
    pooled: bool
    webs: dict[str, Running] = field(default_factory=dict)

    def line_of(self, guarantee: str) -> dict[str, str]:
        """Return how a line begins: M9 is everything again through PgBouncer."""
        name = f"M9 {guarantee}" if self.pooled else guarantee
        return {"guarantee": name, "db": "postgresql"}

    @property
    def clients(self) -> list[str]:
        """Return the addresses of the clients."""
        return self.network.clients

    def url(self, name: str) -> str:
        """Return how to reach a web host past the proxy."""
        return f"http://{self.network.host(name).address}:8000"

    def serve(self, *names: str, **settings: str) -> None:
        """Serve the board on some hosts, in the place of what served there."""
        for name in names:
            if name in self.webs:
                self.webs.pop(name).end()
        more = {f"TRADEBOARD_{key}": value for key, value in settings.items()}
        self.start(*names, environment=self.environment | more)

    def start(self, *names: str, environment: dict[str, str], **more) -> None:
        """Begin to serve on some hosts at once, and wait until all do."""
        for name in names:
            host = self.network.host(name)
            self.webs[name] = parts.web(host, environment, **more)
        for name in names:
            parts.ready(self.webs[name], self.network.host(name), parts.WEB_PORT)


@contextlib.contextmanager
def network() -> Iterator[tuple[Network, parts.Database]]:
    """Make the bridge and the database; all of it goes when the block ends."""
    with TemporaryDirectory(prefix="tb-hosts-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with Network(folder) as made:
            yield made, parts.Database(made)


@contextlib.contextmanager
def board(
    made: Network, database: parts.Database, *, pooled: bool = False
) -> Iterator[World]:
    """Make an empty board there, and serve it on two hosts."""
    ring = made.folder / "keyring.json"
    keyfile.write_if_missing(ring)
    database.empty()
    settings = {
        "SECRET_KEY": SECRET,
        "DATABASE_URL": database.url,
        "KEYRING": str(ring),
        "UPLOADS": str(made.folder / "uploads"),
        "AUDIT_ANCHORS": str(made.folder / "audit-anchors.jsonl"),
    }
    before = keyring._Holder.ring
    app = create_app(TESTING=True, **settings)
    if pooled:
        settings["DATABASE_URL"] = parts.pooler(made, database)
        settings["DATABASE_POOLER"] = "transaction"
    named = {f"TRADEBOARD_{name}": value for name, value in settings.items()}
    named |= {
        "TRADEBOARD_TRUSTED_PROXY_HOPS": "1",
        "TRADEBOARD_ARGON2_MEMORY": "1024",
        "TRADEBOARD_ARGON2_ROUNDS": "1",
        "TRADEBOARD_LOG_LEVEL": "ERROR",
    }
    try:
        with app.app_context():
            upgrade()
            world = World(made, database, {**os.environ, **named}, app, pooled)
            try:
                yield world
            finally:
                for running in world.webs.values():
                    running.end()
                db.session.remove()
                db.engine.dispose()
    finally:
        keyring.use(before)
