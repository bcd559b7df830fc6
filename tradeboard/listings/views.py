"""Pages."""

from flask import Blueprint

bp = Blueprint("listings", __name__)
