"""Pages of moderators."""

from flask import Blueprint

bp = Blueprint("trades_staff", __name__)
