"""Make and change the keys; never show one."""

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.cli.speaking import in_app
from tradeboard.core import clock, keyfile

keys = AppGroup("keys", help="The keyring.")


@keys.command("init")
@in_app
def make_keys():
    """Write a new keyring, unless there is one."""
    path = current_app.config["KEYRING"]
    made = keyfile.write_if_missing(path, now=clock.now())
    click.echo(f"Wrote {path}." if made else f"{path} is there already; kept.")
