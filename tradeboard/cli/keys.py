"""Make and change the keys; never show one."""

import dataclasses

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.cli import rotating
from tradeboard.cli.speaking import as_json, in_app, instant, say
from tradeboard.core import clock, keyfile, keyring

FOR_EVER = (
    "The key for audit stays: every row of the audit log is chained to the one before "
    "it with this key, for ever."
)

keys = AppGroup("keys", help="The keyring.")


@keys.command("init")
@in_app
def make_keys():
    """Write a new keyring, or add what the one that is there lacks."""
    path, now = current_app.config["KEYRING"], clock.now()
    if keyfile.write_if_missing(path, now=now):
        click.echo(f"Wrote {path}.")
        return
    added = keyfile.complete(path, now=now)
    done = f"added {', '.join(added)}" if added else "kept"
    click.echo(f"{path} is there already; {done}.")


@keys.command("list")
@as_json
@in_app
def list_keys(as_json):
    """Show each key by its id: since when it is in use, and how many rows name it."""
    ring = keyring.ring()
    for purpose in filter(ring.keys.__contains__, keyring.PURPOSES):
        counts = rotating.rows_by_key(purpose)
        kids = ring.kids(purpose)
        missing = sorted(set(counts or ()) - set(kids))
        for kid in kids + missing:
            found = {
                "purpose": purpose,
                "kid": kid,
                "current": kid == kids[0],
                "since": instant(ring.since.get(purpose, {}).get(kid)),
                "rows": None if counts is None else counts[kid],
                "missing": kid in missing,
            }
            say(found, _in_words(found), as_json)


@keys.command("rotate")
@click.argument("purposes", metavar="[PURPOSE]...", nargs=-1)
@click.option("--again", is_flag=True, help="Make another key while one is moving.")
@as_json
@in_app
def rotate_keys(purposes, again, as_json):
    """Put a new key in use, move what can be moved, drop keys that nothing names.

    Without PURPOSE all but audit. Run it again to go on after an interruption, or to
    drop a key that rows named the last time.
    """
    for purpose in purposes:
        _check(purpose)
    chosen = tuple(dict.fromkeys(purposes)) or tuple(rotating.PLANS)
    path, now = current_app.config["KEYRING"], clock.now()
    try:
        for done in rotating.rotate(chosen, path=path, again=again, now=now):
            say(dataclasses.asdict(done), _told(done), as_json)
    except keyfile.Busy:
        raise click.ClickException("Another command rotates keys now.") from None


def _check(purpose: str) -> None:
    if purpose == "audit":
        raise click.ClickException(FOR_EVER)
    if purpose not in rotating.PLANS:
        known = ", ".join(rotating.PLANS)
        raise click.UsageError(f"There is no purpose {purpose}. There are: {known}.")


def _in_words(found: dict) -> str:
    state = "missing" if found["missing"] else "in use" if found["current"] else "old"
    rows = "-" if found["rows"] is None else found["rows"]
    purpose, kid, since = found["purpose"], found["kid"], found["since"] or "-"
    return f"{purpose:14} {kid:4} {state:8} {since:33} {rows:>9} rows"


def _told(done: rotating.Rotated) -> str:
    after = f" after {done.was}" if done.was else ""
    dropped = f"; dropped {', '.join(done.dropped)}" if done.dropped else ""
    left = f"; {done.left} rows name an older key" if done.left else ""
    in_use = f"{done.kid} is in use{after}"
    return f"{done.purpose}: {in_use}; {done.moved} values moved{left}{dropped}."
