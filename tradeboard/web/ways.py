"""Ways within the board, built from its own table of addresses."""

from flask import request, url_for


def this_page() -> str:
    """Return the address of the page that was asked for, to be read anew."""
    return url_for(request.endpoint or "static", **(request.view_args or {}))
