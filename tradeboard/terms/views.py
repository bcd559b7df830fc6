"""Pages."""

from flask import Blueprint

bp = Blueprint("terms", __name__)
