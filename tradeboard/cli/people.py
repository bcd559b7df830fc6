"""Make and promote accounts."""

import sys

import click
from flask.cli import AppGroup

from tradeboard.accounts import queries
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import admin
from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core import clock
from tradeboard.core.transaction import transaction
from tradeboard.web.languages import CODES

accounts = AppGroup("accounts", help="People.")

ROLES = click.Choice([role.value for role in Role])


@accounts.command("create")
@click.argument("handle")
@click.argument("email")
@click.option("--role", type=ROLES, default=Role.MEMBER.value)
@click.option("--language", type=click.Choice(CODES), default=CODES[0])
@as_json
@in_app
def create(handle, email, role, language, as_json):
    """Make an account whose address counts as confirmed.

    The password is asked for, or read as one line from standard input.
    """
    password = _password()
    with transaction():
        account = admin.create(
            handle, email, password, language, Role(role), now=clock.now()
        )
        db_id, name = account.id, account.handle
    say({"id": db_id, "handle": name, "role": role}, f"{name} is a {role}.", as_json)


@accounts.command("promote")
@click.argument("handle")
@click.option("--role", type=ROLES, required=True)
@as_json
@in_app
def promote(handle, role, as_json):
    """Make somebody a moderator or an administrator, or a member again."""
    found = queries.find_by_handle(handle)
    if found is None:
        raise click.ClickException(f"Nobody is called {handle}.")
    name = found.handle
    with transaction():
        admin.promote(name, Role(role), by_id=None, now=clock.now())
    say({"handle": name, "role": role}, f"{name} is now a {role}.", as_json)


def _password() -> str:
    if sys.stdin.isatty():
        return click.prompt("Password", hide_input=True, confirmation_prompt=True)
    password = sys.stdin.readline().rstrip("\n")
    if not password:
        raise click.UsageError("Give the password as one line on standard input.")
    return password
