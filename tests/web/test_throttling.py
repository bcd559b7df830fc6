import threading
from datetime import timedelta

import pytest

from tests.factories import count
from tradeboard.core import clock, throttle
from tradeboard.core.db import db
from tradeboard.core.errors import TooMany
from tradeboard.core.throttle import ThrottleBucket
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling

RATE = "3 per 15 minutes"


def test_the_fourth_of_three_is_too_many_and_says_when_again(app):
    for _ in range(3):
        throttling.limit("try", "dora", RATE)

    with pytest.raises(TooMany) as refused:
        throttling.limit("try", "dora", RATE)

    wait = refused.value.retry_at - clock.now()
    assert timedelta(minutes=14) < wait <= timedelta(minutes=15)
    throttling.limit("try", "emil", RATE)
    throttling.limit("other", "dora", RATE)


def test_a_count_starts_anew_when_its_time_is_over(app, monkeypatch):
    for _ in range(3):
        throttling.limit("try", "dora", RATE)
    later = clock.now() + timedelta(minutes=15)
    monkeypatch.setattr(clock, "now", lambda: later)

    throttling.limit("try", "dora", RATE)

    assert throttling.left("try", "dora", RATE) == 2


def test_workers_share_one_count(app):
    barrier = threading.Barrier(4)
    outcomes = []

    def run():
        with app.app_context():
            barrier.wait()
            for _ in range(3):
                try:
                    throttling.limit("try", "dora", "6 per hour")
                    outcomes.append("in")
                except TooMany:
                    outcomes.append("out")

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outcomes.count("in") == 6


def test_success_forgets_and_asking_counts_nothing(app):
    for _ in range(3):
        throttling.limit("try", "dora", RATE)
    with pytest.raises(TooMany):
        throttling.check("try", "dora", RATE)

    throttling.forget("try", "dora", RATE)

    throttling.check("try", "dora", RATE)
    assert throttling.left("try", "dora", RATE) == 3


def test_counts_that_are_over_are_deleted_and_name_nobody(app):
    throttling.limit("try", "198.51.100.7", RATE)
    row = db.session.query(ThrottleBucket).one()
    assert "198.51" not in row.key

    with transaction():
        throttle.forget(now=clock.now())
    assert count(ThrottleBucket) == 1
    with transaction():
        throttle.forget(now=clock.now() + timedelta(hours=1))
    assert count(ThrottleBucket) == 0


def test_counting_inside_a_transaction_is_a_mistake(app):
    with pytest.raises(RuntimeError), transaction():
        throttling.limit("try", "dora", RATE)


@pytest.mark.parametrize(
    ("address", "line", "wide"),
    [
        ("198.51.100.7", "198.51.100.7/32", "198.51.100.0/24"),
        ("::ffff:198.51.100.7", "198.51.100.7/32", "198.51.100.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64", "2001:db8:1::/56"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/56"),
        ("unix:", "unknown", "unknown"),
    ],
)
def test_one_line_is_one_network(address, line, wide):
    assert throttling.network(address) == line
    assert throttling.wide_network(address) == wide
