"""Keys for programs: make, list and revoke them."""

import click
from flask.cli import AppGroup

from tradeboard.api import queries, rules, services
from tradeboard.cli.speaking import as_json, in_app, instant, say
from tradeboard.core import clock
from tradeboard.core.transaction import transaction

api_keys = AppGroup("api-keys", help="Keys for programs that ask the blacklist.")

SCOPES = ",".join(rules.Scope)


@api_keys.command("create")
@click.option("--name", required=True, help="What the key is for.")
@click.option("--scopes", required=True, help=f"Separated by commas: {SCOPES}.")
@click.option("--days", type=click.IntRange(1, 3650), help="How long it lasts.")
@as_json
@in_app
def create(name, scopes, days, as_json):
    """Make a key that belongs to nobody, and show it this one time."""
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    if unknown := set(wanted) - set(rules.Scope):
        raise click.UsageError(f"Unknown: {', '.join(sorted(unknown))}. Use {SCOPES}.")
    with transaction():
        key, shown = services.make(name, wanted, days=days, by=None, now=clock.now())
        thing = {"key": shown, **facts(key)}
    say(thing, f"{shown}\nIt is not shown again.", as_json)


@api_keys.command("list")
@as_json
@in_app
def show_all(as_json):
    """Show every key, the newest first; never its secret."""
    for key in queries.all_keys():
        owner = key.account.handle if key.account is not None else "-"
        state = "revoked" if key.revoked_at else instant(key.last_used_at) or "unused"
        words = f"{key.key_id}  {key.scopes:16}  {owner:20}  {state:33}  {key.name}"
        say(facts(key) | {"owner": owner}, words, as_json)


@api_keys.command("revoke")
@click.argument("key_id")
@as_json
@in_app
def revoke(key_id, as_json):
    """Let a key open nothing any more; KEY_ID stands between the underscores."""
    with transaction():
        key = queries.find_key(key_id)
        if key is None:
            raise click.ClickException(f"No key is called {key_id}.")
        services.revoke(key, by=None, now=clock.now())
        thing = facts(key)
    say(thing, f"{key_id} opens nothing any more.", as_json)


def facts(key) -> dict:
    """Return what an operator may know of a key."""
    return {
        "key_id": key.key_id,
        "name": key.name,
        "scopes": key.scopes.split(),
        "made_at": instant(key.made_at),
        "expires_at": instant(key.expires_at),
        "last_used_at": instant(key.last_used_at),
        "revoked_at": instant(key.revoked_at),
    }
