"""Check the audit log."""

import dataclasses
from pathlib import Path

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.audit import anchors as anchored
from tradeboard.audit import queries
from tradeboard.audit.queries import Verified
from tradeboard.audit.rules import Broken, Wrong
from tradeboard.cli.speaking import as_json, in_app, say

audit = AppGroup("audit", help="The log of who did what.")

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

WORDS = {
    Wrong.EDITED: "was edited, or was not written by this board",
    Wrong.MISSING: "is missing",
    Wrong.REORDERED: "stands where it was not written",
    Wrong.INSERTED: "was inserted",
    Wrong.KEY: "names a key that is not in the keyring",
    Wrong.HEAD: "does not match the head of the chain",
    Wrong.OLDER: "is missing: the log is older than an anchor",
    Wrong.REPLACED: "is another one than an anchor says",
}


@audit.command("verify")
@click.option("--anchors", type=FILE, help="Compare with this file of anchors.")
@as_json
@in_app
def verify(anchors, as_json):
    """Check every row of the log; the code is 1 if something is wrong with it.

    Without --anchors those are used that the board itself keeps, if there are any.
    """
    path = anchors or current_app.config["AUDIT_ANCHORS"]
    found = queries.verify(anchored.read(path))
    say(_facts(found), _in_words(found), as_json)
    if found.broken:
        click.get_current_context().exit(1)


def _facts(found: Verified) -> dict:
    facts = dataclasses.asdict(found)
    broken = facts.pop("broken") or {"seq": None, "wrong": None}
    return {
        "ok": found.broken is None,
        "bad_seq": broken["seq"],
        "wrong": broken["wrong"],
        **facts,
    }


def _in_words(found: Verified) -> str:
    old = f", {found.unchained} from before the chain" if found.unchained else ""
    counts = f"{found.rows} rows{old}"
    if found.broken:
        return f"{_what(found.broken)}. Right until {found.seq}: {counts}."
    if found.unreadable:
        counts += f", {found.unreadable} lines of anchors that are not whole"
    return f"The log is whole until {found.seq}: {counts}, {found.anchors} anchors."


def _what(broken: Broken) -> str:
    return f"Row {broken.seq} {WORDS[broken.wrong]}"
