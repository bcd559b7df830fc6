"""Static files: addresses that change with the content, so that browsers keep them.

A file that is asked for without its version, such as a module by another, is asked
after each time; it is mostly answered with 304.
"""

import gzip
import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, has_request_context, request

FOR_EVER = f"public, max-age={365 * 24 * 3600}, immutable"
# Files alone: a page holds secrets, whose length compression would tell (BREACH).
SHRINKS = {"text/css", "text/javascript", "image/svg+xml", "application/manifest+json"}


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
    version = version_of(Path(app.static_folder or ""))

    @app.url_defaults
    def add_version(endpoint, values):
        if endpoint == "static":
            values.setdefault("v", version)

    app.jinja_env.globals["url_for"] = addresses(app)

    @app.after_request
    def send(response):
        if request.endpoint != "static":
            return response
        is_this = request.args.get("v") == version and response.status_code < 400
        response.headers["Cache-Control"] = FOR_EVER if is_this else "no-cache"
        return shrink(response)


def addresses(app: Flask) -> Callable[..., str]:
    """Return what makes addresses; those that stay are made once a process.

    A page names dozens of files and of pages.
    """

    @lru_cache(maxsize=1024)
    def address(_mounted_at: str, endpoint: str, filename: str | None) -> str:
        if filename is None:
            return app.url_for(endpoint)
        return app.url_for(endpoint, filename=filename)

    def url_for(endpoint: str, **values: Any) -> str:
        stays = not values and not endpoint.startswith(".")
        stays = stays or endpoint == "static" and values.keys() == {"filename"}
        if stays and has_request_context():
            return address(request.root_path, endpoint, values.get("filename"))
        return app.url_for(endpoint, **values)

    return url_for


def shrink(response: Response) -> Response:
    """Send a text file compressed to whoever takes that."""
    if response.mimetype not in SHRINKS:
        return response
    response.vary.add("Accept-Encoding")
    whole = response.status_code == 200 and "Range" not in request.headers
    if not whole or "gzip" not in request.accept_encodings:
        return response
    response.direct_passthrough = False
    filename = (request.view_args or {})["filename"]
    response.set_data(_packed(current_app.static_folder, filename))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag:
        response.set_etag(etag, weak=True)
    return response


@lru_cache(maxsize=256)
def _packed(folder: str, filename: str) -> bytes:
    """Compress a file once a process."""
    return gzip.compress((Path(folder) / filename).read_bytes(), mtime=0)
