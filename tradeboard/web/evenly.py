"""Answer in whole steps of time, where how long it took would tell who is here.

As much is asked and written for nobody as for somebody (`accounts.services.decoys`);
what is left are fractions of a millisecond, which many tries would make visible.
"""

import threading
import time
from collections.abc import Callable
from functools import wraps

from flask import request

from tradeboard.core.db import db

# Longer than the work that they hide takes on any host that is not overrun.
OF_A_PAGE, OF_A_REFUSAL = 0.1, 0.005


def in_even_steps(view: Callable) -> Callable:
    """Let the answer to a form come at a whole step after its beginning."""

    @wraps(view)
    def answered(*args, **kwargs):
        began = time.monotonic()
        answer = view(*args, **kwargs)
        if request.method == "POST":
            db.session.rollback()  # Nobody waits for the connection meanwhile.
            wait(began, OF_A_PAGE)
        return answer

    return answered


def wait(began: float, step: float) -> None:
    """Wait for the end of the step that the work has come into."""
    threading.Event().wait(left(time.monotonic() - began, step))


def left(taken: float, step: float) -> float:
    """Return how long it is to the end of the step that the work has come into."""
    return step - taken % step
