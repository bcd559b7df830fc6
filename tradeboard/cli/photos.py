"""Move photos between a folder and a bucket."""

from pathlib import Path

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.blacklist import photos as evidence
from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core import photo_store
from tradeboard.core.photo_store import Store
from tradeboard.listings import photos as listings
from tradeboard.trades import photos as proofs

photos = AppGroup("photos", help="Where the files of photos lie.")

KINDS = (listings.SUBFOLDER, proofs.SUBFOLDER, evidence.SUBFOLDER)


@photos.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@as_json
@in_app
def copy(source, target, as_json):
    """Copy what TO lacks: folders, or s3://bucket/prefix. Begin again at any time."""
    here, there = _store(source), _store(target)
    if isinstance(here, photo_store.FolderStore) and not here.folder.is_dir():
        raise click.UsageError(f"There is no folder {source}.")
    for kind in KINDS:
        try:
            done = photo_store.copy_missing(here.within(kind), there.within(kind))
        except ValueError as mistake:
            raise click.ClickException(f"{kind}: {mistake}") from mistake
        words = (
            f"{kind}: {done.copied} files copied ({done.bytes:,} bytes), "
            f"{done.there} were there"
        )
        say({"kind": kind, **vars(done)}, words, as_json)


def _store(place: str) -> Store:
    """Return the store that an argument names."""
    settings = {
        "PHOTO_STORE": place if place.startswith("s3://") else "",
        "S3_ENDPOINT_URL": current_app.config["S3_ENDPOINT_URL"],
        "UPLOADS": Path(place),
    }
    return photo_store.of(settings)
