"""Write static files for a web server in front, which then serves them itself."""

import gzip
import shutil
import tempfile
from pathlib import Path

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.web.statics import version_of

# What web servers know the type of; all else they ask the board for.
PACKED = {".css", ".js", ".svg"}
PLAIN = {".png", ".woff2"}

static = AppGroup("static", help="Files that every page names: styles, scripts, icons.")


@static.command("write")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@as_json
@in_app
def write(folder, as_json):
    """Write the files of this release to FOLDER/RELEASE/static, compressed ones too.

    Those of other releases stay, so that pages of either find their own.
    """
    source = Path(current_app.static_folder or "")
    release = version_of(source)
    target = folder / release
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as passing:
            made = Path(passing) / "release"
            _copy(source, made / "static")
            made.chmod(0o755)
            made.rename(target)
    words = f"The files of this release are in {target}."
    say({"release": release, "folder": str(target)}, words, as_json)


def _copy(source: Path, target: Path) -> None:
    for file in sorted(source.rglob("*")):
        if file.suffix not in PACKED | PLAIN:
            continue
        copied = target / file.relative_to(source)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copied)
        if file.suffix in PACKED:
            packed = gzip.compress(file.read_bytes(), mtime=0)
            copied.with_name(f"{file.name}.gz").write_bytes(packed)
