"""Keep what the board is searched by in order."""

import click
from flask.cli import AppGroup

from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core.transaction import transaction
from tradeboard.listings.services import indexing

listings = AppGroup("listings", help="The listings on the board.")


@listings.command("reindex")
@click.option("--from", "begin", default=1, help="Begin at this listing.")
@as_json
@in_app
def reindex(begin, as_json):
    """Let every posted listing be found anew, some at a time; the board stays open.

    It can be stopped, and begun again with the listing that it names last.
    """
    last, done = begin - 1, 0
    while True:
        with transaction():
            batch = indexing.index_next(last)
        if batch.last_id == last:
            break
        last, done = batch.last_id, done + batch.moved
        if not as_json:
            click.echo(f"Up to {last}.")
    say({"indexed": done, "last": last}, f"Indexed {done} listings.", as_json)
