"""How long data is kept, without a database."""

from datetime import timedelta

from tests.factories import A_MOMENT, MONDAY
from tradeboard.privacy.rules import plans, retention
from tradeboard.privacy.rules.plans import Erasure


def test_a_closed_account_is_erasable_after_thirty_days():
    end = MONDAY + timedelta(days=30)

    assert not retention.is_erasable(None, end)
    assert not retention.is_erasable(MONDAY, end - A_MOMENT)
    assert retention.is_erasable(MONDAY, end)


def test_a_table_that_names_nobody_has_no_file_stays_and_says_why():
    for table in ("audit_head", "terms_version", "tally", "throttle_bucket", "node"):
        plan = plans.PLANS[table]
        assert (plan.people, plan.file, plan.erasure) == ((), None, Erasure.KEPT)
        assert plan.why_not == plan.why_kept != ""


def test_what_is_not_in_the_copy_or_stays_has_a_reason():
    for plan in plans.PLANS.values():
        assert plan.file or plan.why_not
        if plan.erasure in (Erasure.KEPT, Erasure.BY_CLOCK):
            assert plan.why_kept
