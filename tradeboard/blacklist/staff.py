"""Pages of moderators."""

from flask import Blueprint

bp = Blueprint("blacklist_staff", __name__)
