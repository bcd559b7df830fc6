"""Make and promote accounts."""

import sys

import click
from flask.cli import AppGroup

from tradeboard.accounts import queries
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import RULES_VERSION
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import admin, rekeying
from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core import clock, keyring, languages
from tradeboard.core.sweep import sweep
from tradeboard.core.transaction import transaction

accounts = AppGroup("accounts", help="People.")

ROLES = click.Choice([role.value for role in Role])


@accounts.command("create")
@click.argument("handle")
@click.argument("email")
@click.option("--role", type=ROLES, default=Role.MEMBER.value)
@click.option("--language", default=languages.SOURCE)
@as_json
@in_app
def create(handle, email, role, language, as_json):
    """Make an account whose address counts as confirmed.

    The password is asked for, or read as one line from standard input.
    """
    if language not in languages.codes():
        known = ", ".join(languages.codes())
        raise click.UsageError(f"There is no language {language}. There are: {known}.")
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
@click.option("--reason", prompt="Why", help="All others of staff are told.")
@as_json
@in_app
def promote(handle, role, reason, as_json):
    """Make somebody a moderator or an administrator, or a member again."""
    if not reason.strip():
        raise click.UsageError("A change of role needs a reason.")
    found = queries.find_by_handle(handle)
    if found is None:
        raise click.ClickException(f"Nobody is called {handle}.")
    name = found.handle
    with transaction():
        admin.promote(name, Role(role), reason, by=None, now=clock.now())
    say({"handle": name, "role": role}, f"{name} is now a {role}.", as_json)


@accounts.command("recompute-keys")
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
@as_json
@in_app
def recompute_keys(dry_run, as_json):
    """Make the keys of mailboxes anew that are of older rules or another key.

    Two people whose mailboxes turn out to be one both stay; each such pair is named.
    """
    done, left = 0, 0
    met: dict[tuple[int, int], None] = {}
    for results, failed in _tried() if dry_run else _recomputed():
        left += failed
        done += sum(found.outcome is rekeying.Outcome.DONE for found in results)
        met |= {(r.kept, r.other): None for r in results if r.kept is not None}
    for kept, other in met:
        pair = {"kept": kept, "other": other, "rules": RULES_VERSION}
        words = f"{kept} and {other} would have one key: {kept} keeps its former one."
        say(pair, words, as_json)
    counts = {"done": done, "collisions": len(met), "failed": left, "dry_run": dry_run}
    words = f"{done} made anew, {len(met)} collisions, {left} failed."
    say(counts, f"Nothing was changed. {words}" if dry_run else words, as_json)


def _recomputed():
    """Yield what became of each batch, and how many of it failed."""
    left = 0
    while ids := _stale_ids(left):
        swept = sweep(ids, rekeying.rekey, now=clock.now())
        left += len(ids) - swept.done
        yield swept.results, len(ids) - swept.done


def _tried():
    """Yield what would become of all, in a transaction that is undone."""
    found = []
    try:
        with transaction():
            while ids := _stale_ids(0):
                found += [rekeying.rekey(one, now=clock.now()) for one in ids]
            raise _Undone
    except _Undone:
        yield found, 0


class _Undone(Exception):
    """Ends a transaction so that nothing of it stays."""


def _stale_ids(offset):
    kid = keyring.ring().kid("email")
    return mailboxes.stale_key_ids(RULES_VERSION, kid, offset=offset)


def _password() -> str:
    if sys.stdin.isatty():
        return click.prompt("Password", hide_input=True, confirmation_prompt=True)
    password = sys.stdin.readline().rstrip("\n")
    if not password:
        raise click.UsageError("Give the password as one line on standard input.")
    return password
