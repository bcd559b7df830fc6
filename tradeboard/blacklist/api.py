"""Look-up for machines."""

from flask import Blueprint

bp = Blueprint("blacklist_api", __name__)
