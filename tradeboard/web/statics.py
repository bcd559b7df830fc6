"""Static files: addresses that change with the content, so that browsers keep them."""

import hashlib
from pathlib import Path

from flask import Flask

A_YEAR = 365 * 24 * 3600


def version_of(folder: Path) -> str:
    """Return a short name for the present content of all files."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def init_app(app: Flask) -> None:
    """Add the version to each address, and let browsers keep the files for a year."""
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = A_YEAR
    version = version_of(Path(app.static_folder or ""))

    @app.url_defaults
    def add_version(endpoint, values):
        if endpoint == "static":
            values.setdefault("v", version)
