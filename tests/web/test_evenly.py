"""How long an answer takes tells nobody who is here."""

import random
import time

import pytest

from tests import pages
from tests.factories import make_account
from tests.soaks import timing
from tradeboard.web import evenly


@pytest.mark.parametrize(
    ("taken", "left"),
    [(0.0, 0.1), (0.02, 0.08), (0.0999, 0.0001), (0.1, 0.1), (0.25, 0.05)],
)
def test_an_answer_comes_at_the_end_of_a_step(taken, left):
    assert evenly.left(taken, 0.1) == pytest.approx(left)


def test_links_by_mail_are_asked_for_in_even_steps_and_pages_are_not(app):
    make_account("known")
    client = app.test_client()
    for path in ("/reset", "/confirm/resend"):
        page = pages.get(client, path)
        began = time.monotonic()
        sent = pages.send(client, path, page, path, email="known@example.com")
        assert sent.status_code < 400
        assert time.monotonic() - began >= evenly.OF_A_PAGE

    began = time.monotonic()
    headers = {"Authorization": f"Bearer tb_{'0' * 16}_{'x' * 43}"}
    refused = client.get("/api/v1/blacklist/check?handle=x", headers=headers)
    assert refused.status_code == 401
    assert time.monotonic() - began >= evenly.OF_A_REFUSAL


@pytest.mark.parametrize(("slower", "tells"), [(0.0, False), (0.5, True), (-0.5, True)])
def test_a_small_difference_is_seen_beside_moments_of_a_busy_machine(slower, tells):
    chance = random.Random(7)
    noise = [chance.gauss(0, 1) for _ in range(200)]
    busy = [100 * chance.gauss(0, 1) if chance.random() < 0.1 else 0 for _ in noise]
    found = timing.compared([a + b + slower for a, b in zip(noise, busy, strict=True)])

    assert found.tells is tells
    if tells:
        assert found.slower * slower > 0


def test_equal_times_tell_nothing():
    assert timing.compared([0.0] * 9) == timing.Times(1.0, 0.0, 0.0)
