"""Pages of accounts: registration, log-in, second factor, password, own account."""

from tradeboard.accounts.views import (  # noqa: F401 (their pages)
    browser,
    login,
    devices,
    holds,
    me,
    password,
    registration,
    second_factor,
)
from tradeboard.accounts.views.blueprint import bp

__all__ = ["bp"]
