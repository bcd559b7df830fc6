"""What cookies are called: over https the browser keeps them to this host."""

from flask import current_app


def name_of(name: str) -> str:
    """Return the whole name of a cookie; the prefix needs https."""
    return f"__Host-{name}" if current_app.config["SESSION_COOKIE_SECURE"] else name
