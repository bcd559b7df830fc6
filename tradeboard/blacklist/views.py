"""Pages."""

from flask import Blueprint

bp = Blueprint("blacklist", __name__)
