"""The checker itself: what it explains, and what nothing explains."""

from tests.factories import MONDAY
from tests.soaks.histories import Answered, explain
from tests.soaks.trade_model import POSTER, PROPOSER, begun

BEGUN = begun(MONDAY)


def explained(*history):
    """Return the events in an order that explains them, or None."""
    found = explain(BEGUN, history, MONDAY)
    return found and [act.event for act in found]


def test_acts_at_the_same_time_may_have_happened_in_either_order():
    refused = Answered(0, 3, POSTER, "accept", False)
    done = Answered(1, 2, PROPOSER, "withdraw", True)

    assert explained(refused, done) is not None
    late = Answered(4, 5, POSTER, "decline", False)
    assert explained(late, refused, done)[-1] == "decline"


def test_nothing_explains_that_both_were_done():
    accepted = Answered(0, 3, POSTER, "accept", True)
    withdrawn = Answered(1, 2, PROPOSER, "withdraw", True)

    assert explained(accepted, withdrawn) is None


def test_nothing_explains_a_refusal_before_anything_happened():
    refused = Answered(0, 1, POSTER, "accept", False)
    withdrawn = Answered(2, 3, PROPOSER, "withdraw", True)

    assert explained(refused, withdrawn) is None


def test_an_answer_that_never_came_is_done_or_not():
    lost = Answered(0, 9, POSTER, "accept", None)

    assert explained(lost, Answered(1, 2, PROPOSER, "withdraw", True)) is not None
    assert explained(lost, Answered(1, 2, PROPOSER, "withdraw", False)) is not None


def test_the_end_must_fit_too():
    accepted = [Answered(0, 1, POSTER, "accept", True)]

    assert explain(BEGUN, accepted, MONDAY, lambda model: model.state == "agreed")
    assert not explain(BEGUN, accepted, MONDAY, lambda model: model.state == "declined")
