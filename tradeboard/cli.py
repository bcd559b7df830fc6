"""Commands."""


def init_app(app):
    """Hang the commands on the app."""
