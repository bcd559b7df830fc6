"""What commands share: one JSON object a line, and mistakes in one line."""

import functools
import json
from datetime import datetime
from typing import Any

import click
from flask.cli import with_appcontext
from sqlalchemy.exc import DBAPIError

from tradeboard.core.errors import Refusal
from tradeboard.core.instance_lock import InUse
from tradeboard.core.keyring import KeyMissing
from tradeboard.web.languages import translate_to

as_json = click.option("--json", "as_json", is_flag=True, help="One object a line.")


def say(thing: dict[str, Any], words: str, as_json: bool) -> None:
    """Write one result on standard output."""
    click.echo(json.dumps(thing, ensure_ascii=False) if as_json else words)


def instant(moment: datetime | None) -> str | None:
    """Return a moment as JSON has it."""
    return moment.isoformat() if moment else None


def in_app(command):
    """Run a command within the application; say in one line why it cannot."""

    @with_appcontext
    @functools.wraps(command)
    def run(*args, **kwargs):
        try:
            return command(*args, **kwargs)
        except Refusal as refusal:
            words = translate_to("en", refusal.message)
        except KeyMissing as missing:
            words = f"{missing}. Make keys with `flask keys init`."
        except InUse as busy:
            words = str(busy)
        except DBAPIError as error:
            first = str(error.orig).partition("\n")[0]
            words = f"The database does not answer as it should: {first}"
        raise click.ClickException(words)

    return run
