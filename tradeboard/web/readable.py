"""What a request may hold at all: ids that a row can have, texts without NUL."""

from flask import Flask, abort, current_app, request
from werkzeug.routing import IntegerConverter, ValidationError

LARGEST_ID = 2**31 - 1
# The fields of forms that take files.
FILES = frozenset({"photo", "file"})
# Fields that may be sent several times; of any other nobody could say which counts.
SEVERAL = FILES | {"tags", "scopes"}
MULTIPART = "multipart/form-data"
DIGITS = len(str(LARGEST_ID))
# Where the API begins.
FOR_PROGRAMS = "/api/"


class RowNumber(IntegerConverter):
    """An id in an address; one that no column holds is not found."""

    regex = rf"[0-9]{{1,{DIGITS}}}"

    def to_python(self, value: str) -> int:
        """Read the id."""
        number = super().to_python(value)
        if number > LARGEST_ID:
            raise ValidationError
        return number


def whole(text: str | None) -> int | None:
    """Read a whole number that a row can hold, or None for anything else."""
    if not text or len(text) > DIGITS or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if number <= LARGEST_ID else None


def bound() -> None:
    """Let only a browser that has been here send files; all else is short."""
    sends_files = request.mimetype == MULTIPART
    if not sends_files or current_app.config["SESSION_COOKIE_NAME"] not in (
        request.cookies
    ):
        request.max_content_length = current_app.config["MAX_FORM_MEMORY_SIZE"]


def refuse_unreadable() -> None:
    """Refuse a NUL, which PostgreSQL keeps in no text, doubles, and a file for a text.

    Programs may ask for a name with one, and are told that nobody is called so.
    """
    if request.path.startswith(FOR_PROGRAMS):
        return
    has_body = request.content_length or "Transfer-Encoding" in request.headers
    if has_body and set(request.files) - FILES:
        abort(400)
    if "\0" in request.path:
        abort(404)
    for fields in (request.args, request.form) if has_body else (request.args,):
        for name, values in fields.lists():
            if len(values) > 1 and name not in SEVERAL:
                abort(400)
            if any("\0" in text for text in (name, *values)):
                abort(400)


def init_app(app: Flask) -> None:
    """Watch every request; before any blueprint adds its addresses."""
    app.url_map.converters["int"] = RowNumber
    app.before_request(bound)
    app.before_request(refuse_unreadable)
