"""Passwords."""


def init_app(app):
    """Set the cost."""
