"""The guarantees of ways in, quick; `run.py soak security` tries the same for long."""

import pytest

from tests.soaks import logins

ON_SQLITE = pytest.mark.parametrize("app", ["sqlite"], indirect=True)


@ON_SQLITE
def test_ended_sessions_stay_ended_whoever_copied_their_cookies(app):
    assert logins.s1(app, quick=True)["found"] == []


@ON_SQLITE
def test_cookies_are_closed_and_ids_change(app):
    assert logins.s2(app, quick=True)["found"] == []


def test_nobody_learns_who_is_here(app):
    assert logins.s3(app, quick=True)["found"] == []


@ON_SQLITE
def test_guessing_is_slow_and_the_owner_comes_in(app):
    assert logins.s11(app, quick=True)["found"] == []


def test_a_mailed_link_works_once(app):
    assert logins.s12(app, quick=True)["found"] == []
