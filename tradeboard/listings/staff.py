"""Pages of moderators."""

from flask import Blueprint

bp = Blueprint("listings_staff", __name__)
