"""Spare a mailbox from mail that others ask for."""

from tradeboard.accounts.rules import email as email_rules
from tradeboard.web import throttling

PER_MAILBOX = "10 per day"
ALL_PER_MAILBOX = "40 per day"


def limit_mailbox(typed: str) -> None:
    """Count once for the mailbox of an address, or raise TooMany."""
    mailbox = email_rules.check_email(typed).key or typed.lower()
    # By network, so that a stranger can neither use it up nor see that others did.
    near = f"{mailbox}|{throttling.wide_network()}"
    throttling.limit_each(
        throttling.Rate("register-mailbox", near, PER_MAILBOX),
        throttling.Rate("register-mailbox-all", mailbox, ALL_PER_MAILBOX),
    )
