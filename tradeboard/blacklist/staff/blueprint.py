"""The desk's pages about entries and appeals: for staff alone."""

from flask import Blueprint

from tradeboard.blacklist.staff import looking
from tradeboard.web import access

bp = Blueprint("blacklist_staff", __name__, url_prefix="/desk")
bp.before_request(access.require_staff)
bp.before_request(looking.begin)
