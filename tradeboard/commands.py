"""What only commands need, loaded when one is asked for: a server starts without it."""

from pathlib import Path
from typing import Any

from flask import Flask
from flask.cli import AppGroup

from tradeboard.core.db import db

MIGRATE = "migrate"


class Commands(AppGroup):
    """The commands of the application, imported when their names are asked for."""

    def __init__(self, app: Flask):
        super().__init__(name=app.name)
        self.app = app
        self.are_loaded = False

    def list_commands(self, ctx) -> list[str]:
        """Return the names of all commands."""
        self.load()
        return super().list_commands(ctx)

    def get_command(self, ctx, name: str):
        """Return a command, or None."""
        self.load()
        return super().get_command(ctx, name)

    def load(self) -> None:
        """Hang the commands on the application, once."""
        if self.are_loaded:
            return
        self.are_loaded = True
        from flask_migrate.cli import db as migrations

        from tradeboard import cli

        cli.init_app(self.app)
        migrate(self.app)
        self.add_command(migrations, name="db")


class Migrations:
    """Stands for Flask-Migrate until something asks for it."""

    def __init__(self, app: Flask):
        self.app = app

    def __getattr__(self, name: str) -> Any:
        migrate(self.app)
        return getattr(self.app.extensions[MIGRATE], name)


def migrate(app: Flask) -> None:
    """Hang Flask-Migrate and its commands on the application."""
    if not isinstance(app.extensions.get(MIGRATE), Migrations):
        return
    from flask_migrate import Migrate

    Migrate(
        app,
        db,
        directory=str(Path(__file__).parent / "migrations"),
        render_as_batch=True,
        compare_type=True,
    )


def init_app(app: Flask) -> None:
    """Promise commands and migrations; tests get them at once, with all tables."""
    commands = Commands(app)
    app.cli = commands
    app.extensions[MIGRATE] = Migrations(app)
    if app.testing:
        commands.load()
