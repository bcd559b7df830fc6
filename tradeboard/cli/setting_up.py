"""Make the keys, and fill the demo."""

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core import clock, keyring

keys = AppGroup("keys", help="The keyring.")
demo = AppGroup("demo", help="Invented members and trades.")


@keys.command("init")
@in_app
def make_keys():
    """Write a new keyring, unless there is one."""
    path = current_app.config["KEYRING"]
    made = keyring.write_if_missing(path)
    click.echo(f"Wrote {path}." if made else f"{path} is there already; kept.")


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
