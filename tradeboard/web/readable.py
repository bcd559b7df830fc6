"""What a request may hold at all: ids that a row can have, texts without NUL."""

from flask import Flask, abort, request
from werkzeug.routing import IntegerConverter, ValidationError

LARGEST_ID = 2**31 - 1
# The one field of all forms that takes files.
FILES = frozenset({"photo"})
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


def refuse_unreadable() -> None:
    """Refuse a NUL, which PostgreSQL keeps in no text, and a file for a text.

    Programs may ask for a name with one, and are told that nobody is called so.
    """
    if request.path.startswith(FOR_PROGRAMS):
        return
    if set(request.files) - FILES:
        abort(400)
    if "\0" in request.path:
        abort(404)
    for fields in (request.args, request.form):
        for name, value in fields.items(multi=True):
            if "\0" in name or "\0" in value:
                abort(400)


def init_app(app: Flask) -> None:
    """Watch every request; before any blueprint adds its addresses."""
    app.url_map.converters["int"] = RowNumber
    app.before_request(refuse_unreadable)
