"""Look at a database patiently, for a block: a copy that is tried, or one's own."""

import contextlib
from collections.abc import Iterator
from typing import Any

from flask import Flask, current_app

from tradeboard.core.db import db
from tradeboard.core.engines import NETWORK, TRANSACTION

UTC = {"options": "-c timezone=UTC"}


@contextlib.contextmanager
def elsewhere(url: str, **settings: Any) -> Iterator[Flask]:
    """Let `db` speak with another database; statements may take their time there.

    `settings` stand in place of those of the application.
    """
    here = current_app
    app = Flask(here.name, instance_path=here.instance_path)
    app.config.update(here.config, **settings)
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    app.config["SQLALCHEMY_BINDS"] = {}
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = _options(url, here.config)
    db.init_app(app)
    with app.app_context():
        try:
            yield app
        finally:
            db.session.remove()
            db.engine.dispose()


def _options(url: str, config) -> dict[str, Any]:
    if url.startswith("sqlite"):
        return {"hide_parameters": True}
    pooled = config.get("DATABASE_POOLER") == TRANSACTION
    session = {"prepare_threshold": None} if pooled else UTC
    return {"hide_parameters": True, "connect_args": NETWORK | session}
