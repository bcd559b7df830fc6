"""Fill the demo."""

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core import clock

demo = AppGroup("demo", help="Invented members and trades.")


@demo.command("seed")
@as_json
@in_app
def seed(as_json):
    """Fill an empty board for looking around; a second time changes nothing."""
    if not current_app.config["DEMO"]:
        raise click.ClickException("Only a board with DEMO = True is filled.")
    from tradeboard.demo import world  # Much to load, and for this command alone.

    made = world.seed(clock.now())
    counted = ", ".join(f"{number} {things}" for things, number in made.items())
    words = f"Made {counted}." if made else "There is something already; kept."
    say({"seeded": bool(made), **made}, words, as_json)
