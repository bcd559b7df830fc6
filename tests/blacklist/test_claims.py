"""Who is at an entry, how long, and what ends it."""

from datetime import timedelta

import pytest

from tests import pages
from tests.blacklist.cases import A_DAY, do, lift, listed, uphold
from tests.blacklist.desks import claim_of, decide, read, settle, url_of
from tests.factories import A_MOMENT, DUE, make_account
from tests.races import race
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist import queries
from tradeboard.blacklist.rules import desk as rules
from tradeboard.blacklist.services import claims
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed

NOW = DUE + A_DAY
IDLE = timedelta(minutes=15)


@pytest.fixture
def judge(app):
    return make_account("judge", role=Role.MODERATOR)


def take(entry, by, at=NOW):
    return do(claims.take, entry.id, by=by, now=at)


def test_a_claim_lapses_after_fifteen_idle_minutes():
    assert rules.is_live(NOW, NOW + IDLE - A_MOMENT)
    assert not rules.is_live(NOW, NOW + IDLE)


def test_a_claim_is_kept_by_what_one_does_and_then_lapses(alice, bob, moderator, judge):
    entry = listed(alice, bob)
    take(entry, moderator)
    with pytest.raises(Conflict) as refused:
        take(entry, judge, NOW + IDLE - A_MOMENT)
    assert str(refused.value) == "modさんが担当しています。"

    do(claims.touch, entry.id, by=judge, now=NOW + IDLE / 2)
    do(claims.touch, entry.id, by=moderator, now=NOW + IDLE / 2)
    assert queries.claims_on([entry.id], NOW + IDLE)[entry.id].by.handle == "mod"

    later = NOW + IDLE * 1.5
    assert queries.claims_on([entry.id], later) == {}
    do(claims.touch, entry.id, by=moderator, now=later)
    assert queries.claims_on([entry.id], later) == {}
    take(entry, judge, later)
    do(claims.leave, entry.id, by=moderator)
    assert claim_of(entry).by_id == judge.id
    do(claims.leave, entry.id, by=judge)
    assert claim_of(entry) is None


@pytest.mark.parametrize("verb", [uphold, lift])
def test_a_claim_dies_with_the_decision_whoever_decides(
    alice, bob, moderator, judge, verb
):
    entry = listed(alice, bob)
    take(entry, judge)

    verb(entry, moderator, now=NOW)

    assert claim_of(entry) is None


def test_neither_parties_nor_members_nor_ended_entries(alice, moderator, judge):
    entry = listed(alice, judge)
    for by in (alice, judge):
        with pytest.raises(NotAllowed):
            take(entry, by)

    lift(entry, moderator, now=NOW)
    with pytest.raises(Conflict):
        take(entry, moderator)


def test_of_two_at_once_one_is_at_it(app, alice, bob, moderator, judge):
    entry_id = listed(alice, bob).id
    ids = (moderator.id, judge.id)

    def by(number):
        return db.session.get_one(Account, ids[number])

    ends = race(
        app,
        lambda: claims.take(entry_id, by=by(0), now=NOW),
        lambda: claims.take(entry_id, by=by(1), now=NOW),
    )

    assert sorted(ends) == ["Conflict", "done"]


def test_looking_changes_nothing_and_pressing_shows_it(
    alice, bob, moderator, judge, log_in, monkeypatch
):
    monkeypatch.setattr(clock, "now", lambda: NOW)
    entry, client, other = listed(alice, bob), log_in(moderator), log_in(judge)
    url = url_of(entry)
    assert "担当：" not in read(client, url)
    assert claim_of(entry) is None

    pages.submit(client, url, f"{url}/claim", button="担当する")
    monkeypatch.setattr(clock, "now", lambda: NOW + IDLE / 3)
    assert "担当：あなた" in read(client, url)
    seen = read(other, url)
    assert "担当：modさん" in seen
    assert "modさんが担当しています" in seen
    assert "担当する" not in pages.get(other, url).partition("確認へ進む")[0]
    assert claim_of(entry).seen_at == NOW

    decide(client, entry)
    assert claim_of(entry).seen_at == NOW + IDLE / 3
    review = decide(other, entry, decision="lift", reason="error")
    assert settle(other, entry, review.get_data(as_text=True)).status_code == 303
    assert claim_of(entry) is None


def test_a_claim_is_given_back_by_a_button(alice, bob, moderator, log_in, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)
    entry, client = listed(alice, bob), log_in(moderator)
    url = url_of(entry)
    pages.submit(client, url, f"{url}/claim", button="担当する")

    answer = pages.submit(client, url, f"{url}/claim", button="担当をやめる")

    assert answer.location.endswith("/desk/entries")
    assert claim_of(entry) is None
