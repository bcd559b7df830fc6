"""Pages of accounts: registration, log-in, second factor, password, own account."""

from tradeboard.accounts.views import (  # noqa: F401 (their pages)
    address,
    browser,
    devices,
    holds,
    language,
    login,
    me,
    passkeys,
    password,
    proving,
    registration,
    second_factor,
    security,
)
from tradeboard.accounts.views.blueprint import bp

__all__ = ["bp"]
