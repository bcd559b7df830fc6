"""Ask for password, code or passkey once more, shortly before something important.

One table for the whole board: what staff writes, and what decides who gets in. Forms
that ask for the password themselves (of password, address, keys for programs, the copy
of one's data, leaving) ask each time and stand in `ASK_THEMSELVES`.
"""

from collections.abc import Callable
from datetime import timedelta

from flask import g, redirect, request, url_for

from tradeboard.core import clock, doing

GOOD_FOR = timedelta(minutes=10)

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

# Asked for with any method: the pages, and what their forms do.
ASKED_FOR = frozenset(
    {
        "accounts.add_passkey",
        "accounts.new_recovery_codes",
        "accounts.remove_passkey",
        "accounts.remove_second_factor",
        "accounts.second_factor_set_up",
        "accounts.security",
    }
)
ASK_THEMSELVES = frozenset(
    {
        "accounts.change_email",
        "accounts.password",
        "api.keys",
        "privacy.export",
        "profiles.close",
    }
)
# Forms of staff that only look something up.
STAFF_LOOKS = frozenset({"accounts_staff.try_address", "desk.find_people"})


class _Holder:
    page: Callable | None = None


def page(view: Callable) -> Callable:
    """Let this view answer a form that has to wait, and keep what was typed."""
    _Holder.page = view
    return view


def is_fresh() -> bool:
    """Tell whether the person proved a short while ago who that is."""
    proved_at = g.get("proved_at")
    return proved_at is not None and clock.now() < proved_at + GOOD_FOR


def require(endpoint: str):
    """Ask again before a page of the table; return None where that is not needed."""
    return ask() if endpoint in ASKED_FOR and not is_fresh() else None


def require_of_staff(endpoint: str | None):
    """Ask again before staff changes anything."""
    if request.method in SAFE_METHODS or endpoint in STAFF_LOOKS or is_fresh():
        return None
    return ask()


def ask():
    """Lead to the page that asks; a form that was sent is kept on it."""
    doing.note("step-up asked")
    if request.method in SAFE_METHODS or _Holder.page is None:
        return redirect(url_for("accounts.prove", next=here()), 303)
    return _Holder.page()


def here() -> str:
    """Return the path of this request, to come back to."""
    return request.full_path.rstrip("?") if request.method == "GET" else request.path
