"""Pages of moderators."""

from flask import Blueprint

bp = Blueprint("accounts_staff", __name__)
