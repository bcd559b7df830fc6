"""What the board has done, in numbers, for everybody."""

from flask import render_template

from tradeboard.blacklist.queries import numbers
from tradeboard.blacklist.rules import numbers as rules
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import LiftReason
from tradeboard.blacklist.rules.numbers import Kind
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.web import throttling
from tradeboard.web.access import public

RATE = "60 per 1 minute"

# Only what was never public is lifted for this, and nothing is told of that.
REASONS = [reason for reason in LiftReason if reason is not LiftReason.UNDECIDED]


@bp.get("/blacklist/numbers", endpoint="numbers")
@public
def show_numbers():
    """Show what was listed, how it ended, how long it took; of people nothing."""
    throttling.limit("numbers", throttling.network(), RATE)
    found = numbers.read(clock.now())
    reasons = [
        (wording.LIFT[reason], found.tally.reasons[reason]) for reason in REASONS
    ]
    return render_template(
        "blacklist/numbers.html",
        found=found,
        tally=found.tally,
        kind=Kind,
        reasons=reasons,
        rules=rules,
    )
