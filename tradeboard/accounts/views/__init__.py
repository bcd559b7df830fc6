"""Pages of accounts: registration, log-in, second factor, password, own account."""

from tradeboard.accounts.views import (  # noqa: F401 (their pages)
    address,
    browser,
    devices,
    holds,
    login,
    me,
    password,
    registration,
    second_factor,
)
from tradeboard.accounts.views.blueprint import bp

__all__ = ["bp"]
