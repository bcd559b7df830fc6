"""Pages."""

from flask import Blueprint

bp = Blueprint("todo", __name__)
