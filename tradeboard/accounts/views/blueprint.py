"""The blueprint that every page of accounts hangs on."""

from flask import Blueprint

bp = Blueprint("accounts", __name__)
