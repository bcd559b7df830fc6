"""Whoever opens a case on the desk: never one of the two, and never without a trace."""

from flask import request
from flask_login import current_user

from tradeboard.accounts.services import looking
from tradeboard.blacklist import queries
from tradeboard.blacklist.services import review
from tradeboard.core import clock
from tradeboard.core.transaction import transaction


def begin() -> None:
    """Keep the parties out of their own case, and record who looks at it.

    The blueprint calls it before each page of an entry or an appeal.
    """
    named = request.view_args or {}
    if not named.keys() & {"entry_id", "appeal_id"}:
        return
    with transaction():
        entry_id = named.get("entry_id")
        if entry_id is None:
            entry_id = queries.get_appeal(named["appeal_id"]).entry_id
        entry = queries.get_entry(entry_id)
        review.require_no_party(entry, current_user)
        looking.look(
            queries.parties_of(entry),
            f"entry:{entry.id}",
            by=current_user,
            now=clock.now(),
        )
