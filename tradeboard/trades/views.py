"""Pages."""

from flask import Blueprint

bp = Blueprint("trades", __name__)
