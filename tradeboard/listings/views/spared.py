"""Read the typed part of a form that is too large, and let its files go by."""

import io

from flask import Flask, Request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException

# Beyond this nothing is read any more: it is no form that a person filled in.
MOST = 4


class _Nowhere(io.RawIOBase):
    """A file that keeps nothing of what is written into it."""

    def writable(self) -> bool:
        """Tell that it takes everything."""
        return True

    def write(self, data) -> int:
        """Let it go by."""
        return len(data)

    def seekable(self) -> bool:
        """Tell that it can be read from its beginning, where there is nothing."""
        return True

    def seek(self, *_) -> int:
        """Go to its beginning, which is its end."""
        return 0


def form_without_files(app: Flask, request: Request) -> MultiDict | None:
    """Return the texts of a refused form, or None if they cannot be had."""

    class Sparing(app.request_class):  # type: ignore[name-defined,misc] # made at run time
        def _get_file_stream(self, *_args, **_kwargs):
            return _Nowhere()

    again = Sparing(request.environ.copy())
    again.environ.pop("werkzeug.request", None)
    again.max_content_length = MOST * app.config["MAX_CONTENT_LENGTH"]
    again.max_form_memory_size = MOST * app.config["MAX_FORM_MEMORY_SIZE"]
    try:
        return again.form
    except HTTPException:
        return None
