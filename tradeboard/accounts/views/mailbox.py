"""Spare a mailbox from mail that others ask for."""

from tradeboard.accounts.rules import email as email_rules
from tradeboard.web import throttling

PER_MAILBOX = "10 per day"


def limit_mailbox(typed: str) -> None:
    """Count once for the mailbox of an address, or raise TooMany."""
    mailbox = email_rules.check_email(typed).key or typed.lower()
    throttling.limit("register-mailbox", mailbox, PER_MAILBOX)
