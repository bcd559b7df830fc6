"""The board as the hosts serve it: health turns red after three short ticks."""

from tests.soaks.hosts.hurry import RED_AFTER
from tradeboard.web import health
from wsgi import app

health.RED_AFTER = RED_AFTER

__all__ = ["app"]
