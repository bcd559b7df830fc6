"""Back up, restore, and look whether all is well."""

import dataclasses
from pathlib import Path

import click
from flask import current_app

from tradeboard.audit import anchors
from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core import clock, instance_lock, photo_store
from tradeboard.core.instance_lock import alone_with, lock_file
from tradeboard.keeping import backup as backups
from tradeboard.keeping import doctor, jobs, programs, sqlite
from tradeboard.keeping import restore as restoring
from tradeboard.keeping.manifest import Unusable
from tradeboard.keeping.postgres import Taken
from tradeboard.scheduler.timetable import JOBS

PLACE = click.Path(path_type=Path)
FILE = click.Path(exists=True, path_type=Path)
WRONG = (Unusable, Taken, programs.Failed, backups.Busy, OSError)


@click.command("backup")
@click.option("--to", "folder", type=PLACE, help="Where; else the folder BACKUPS.")
@as_json
@in_app
def backup(folder, as_json):
    """Back up database and photos while the board runs; never the keys."""
    folder = folder or current_app.config["BACKUPS"]
    if not folder:
        raise click.UsageError("Name a folder with --to, or set BACKUPS.")
    try:
        path, made = jobs.make(Path(folder), now=clock.now())
    except WRONG as error:
        raise click.ClickException(str(error)) from None
    thing = {
        "backup": str(path),
        "bytes": made.bytes,
        "photos": made.photos,
        "missing": made.missing,
        "rows": sum(made.facts.counts.values()),
        "audit_seq": made.facts.audit_seq,
    }
    gone = f"; {made.missing} had no file any more" if made.missing else ""
    words = f"{path}: {thing['rows']} rows, {made.photos} photos{gone}."
    say(thing, words, as_json)


@click.command("restore")
@click.argument("file", type=FILE)
@click.option("--to", "where", help="A folder, or postgresql://…; else the board's.")
@click.option("--uploads", type=PLACE, help="Where photos go; with a database in --to.")
@click.option("--replace", is_flag=True, help="PostgreSQL: rename what is there.")
@click.option("--identity", type=FILE, help="The age key of an encrypted backup.")
@as_json
@in_app
def restore(file, where, uploads, replace, identity, as_json):
    """Bring back the backup FILE, a folder that `backup` made, and examine it.

    What was there is kept under a name with the time. Nothing may run meanwhile.
    """
    url, settings, lock = _place(where, uploads)
    now = clock.now()
    try:
        with alone_with(lock):
            done = restoring.restore(
                restoring.folder_of(file),
                url,
                store=photo_store.of({**current_app.config, **settings}),
                replace=replace,
                identity=identity,
                now=now,
            )
    except WRONG as error:
        raise click.ClickException(str(error)) from None
    seq = done.manifest.facts.audit_seq
    report = doctor.examine(url, now, anchors_until=seq, **settings)
    last = None if where else anchors.last(current_app.config["AUDIT_ANCHORS"])
    thing = {
        "made_at": done.manifest.made_at.isoformat(),
        "before": done.before,
        "photos_brought": done.photos,
        "older_than_anchors": last is not None and last.seq > seq,
    }
    kept = f" What was there is now {done.before}." if done.before else ""
    words = f"Restored the backup of {thing['made_at']}.{kept}"
    if thing["older_than_anchors"]:
        words += " Move the file of anchors aside, keep it, and note why."
    _tell(report, thing, words, as_json)


@click.command("doctor")
@click.option("--fleet", "whole", is_flag=True, help="Compare the hosts, too.")
@as_json
@in_app
def examine(whole, as_json):
    """Look whether settings, tables, rows, photos, keys, log and jobs are right.

    The code is 1 if something is wrong; each finding is one line with what to do.
    """
    config = current_app.config
    every = {
        job.name: job.every
        for job in JOBS.values()
        if not job.needs or config[job.needs]
    }
    url = config["SQLALCHEMY_DATABASE_URI"]
    report = doctor.examine(url, clock.now(), every=every, whole_fleet=whole)
    doctor.look_at_settings(config, report)
    rows = sum(report.facts.get("counts", {}).values())
    words = f"{rows} rows, {report.facts.get('photos', 0)} photos."
    lines = [
        f"{node['name']} {node['kind']} {node['version']} {node['clock_apart_ms']} ms"
        for node in report.facts.get("fleet", ())
    ]
    _tell(report, {}, "\n".join([*lines, words]), as_json)


def _place(where: str | None, uploads: Path | None) -> tuple[str, dict, Path]:
    """Return the database, the settings for its photos, and the file to lock."""
    config = current_app.config
    if where is None:
        app = current_app._get_current_object()  # type: ignore[attr-defined]  # a proxy's
        return config["SQLALCHEMY_DATABASE_URI"], _photos(uploads), lock_file(app)
    if "://" in where:
        if uploads is None:
            raise click.UsageError("Say with --uploads where the photos go.")
        return where, _photos(uploads), uploads.parent / instance_lock.NAME
    folder = Path(where).absolute()
    url = sqlite.url_of(folder / "tradeboard.sqlite3")
    photos = _photos(uploads or folder / "uploads")
    return url, photos, folder / instance_lock.NAME


def _photos(uploads: Path | None) -> dict:
    return {"UPLOADS": uploads, "PHOTO_STORE": ""} if uploads else {}


def _tell(report: doctor.Report, thing: dict, words: str, as_json: bool) -> None:
    """Say what was found, a line each; the code is 1 if anything was."""
    findings = [dataclasses.asdict(finding) for finding in report.findings]
    thing |= {"ok": report.ok, "findings": findings, "facts": report.facts}
    lines = [f"{one.check}: {one.text} {one.remedy}" for one in report.findings]
    lines.append(words + (" All is well." if report.ok else ""))
    say(thing, "\n".join(lines), as_json)
    if not report.ok:
        click.get_current_context().exit(1)
