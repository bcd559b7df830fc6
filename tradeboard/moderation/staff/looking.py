"""Whoever opens what is somebody's leaves a trace; nobody opens his own case."""

from collections.abc import Iterable

from flask_login import current_user

from tradeboard.accounts.services import looking
from tradeboard.core import clock
from tradeboard.core.errors import NotFound
from tradeboard.core.transaction import transaction
from tradeboard.moderation import queries
from tradeboard.notifications import queries as notifications


def at_person(account_id: int) -> None:
    """Record a look at what is known of a person."""
    _leave_trace((account_id,), f"account:{account_id}")


def at_found(account_ids: Iterable[int]) -> None:
    """Record a look at each person whom an address or a device code has led to.

    That it does is known already, whether or not the page is opened.
    """
    with transaction():
        for account_id in account_ids:
            thing = f"account:{account_id}"
            looking.look((account_id,), thing, by=current_user, now=clock.now())


def at_hold(hold_id: int) -> None:
    """Record a look at a match; to the two of it there is none."""
    hold = queries.hold_for_desk(hold_id)
    two = (hold.account_id, hold.other_id)
    if current_user.id in two:
        raise NotFound("この一致は見つかりません。")
    _leave_trace(two, f"hold:{hold_id}")


def at_mail(mail_id: int) -> None:
    """Record a look at a mail to somebody."""
    mail = notifications.get_mail(mail_id)
    if mail.account_id is not None:
        _leave_trace((mail.account_id,), f"mail:{mail_id}")


def _leave_trace(about, thing):
    with transaction():
        looking.look(about, thing, by=current_user, now=clock.now())
