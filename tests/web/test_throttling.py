import logging
import os
import signal
import threading
import time
from datetime import timedelta

import pytest
from flask import Flask
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy import text

from tests.factories import count
from tests.programs import Redis
from tradeboard import config
from tradeboard.accounts import jobs
from tradeboard.core import clock, shared_counts, throttle
from tradeboard.core.db import db
from tradeboard.core.errors import TooMany
from tradeboard.core.throttle import ThrottleBucket
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling

RATE = "3 per 15 minutes"


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    """Run a Redis for the tests of this file."""
    server = Redis(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def shared(app, redis, monkeypatch):
    """Count in Redis; a try after an outage is made at once."""
    if redis.process.poll() is not None:
        redis.start()
    table = throttle.DatabaseStorage()
    counts = shared_counts.SharedStorage(redis.url, table, pause=0)
    counts.reset()
    limiter = FixedWindowRateLimiter(counts)
    monkeypatch.setitem(app.extensions, throttling.EXTENSION, limiter)
    return counts


@pytest.fixture(params=["table", "redis"])
def let_pass(request, app, monkeypatch):
    """Count in the table, then in Redis; return how to let seconds pass."""
    if request.param == "redis":
        store = request.getfixturevalue("shared")._redis.storage

        def let_pass(seconds):
            for key in store.keys("*"):
                store.pexpire(key, max(1, store.pttl(key) - seconds * 1000))
            while any(store.pttl(key) in range(20) for key in store.keys("*")):
                pass

        return let_pass

    def let_pass(seconds):
        later = clock.now() + timedelta(seconds=seconds)
        monkeypatch.setattr(clock, "now", lambda: later)

    return let_pass


def test_the_fourth_of_three_is_too_many_and_says_when_again(let_pass):
    for _ in range(3):
        throttling.limit("try", "dora", RATE)

    with pytest.raises(TooMany) as refused:
        throttling.limit("try", "dora", RATE)

    wait = refused.value.retry_at - clock.now()
    assert timedelta(minutes=14) < wait <= timedelta(minutes=15)
    throttling.limit("try", "emil", RATE)
    throttling.limit("other", "dora", RATE)


def test_a_count_starts_anew_when_its_time_is_over(let_pass):
    for _ in range(3):
        throttling.limit("try", "dora", RATE)
    let_pass(15 * 60)

    throttling.limit("try", "dora", RATE)

    assert throttling.left("try", "dora", RATE) == 2


def test_workers_share_one_count(app, let_pass):
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


def test_success_forgets_and_asking_counts_nothing(let_pass):
    for _ in range(3):
        throttling.limit("try", "dora", RATE)
    with pytest.raises(TooMany):
        throttling.check("try", "dora", RATE)

    throttling.forget("try", "dora", RATE)

    throttling.check("try", "dora", RATE)
    assert throttling.left("try", "dora", RATE) == 3


def test_counts_that_are_over_are_deleted_in_parts_and_name_nobody(app, monkeypatch):
    monkeypatch.setattr(throttle, "AT_ONCE", 2)
    for number in range(5):
        throttling.limit("try", f"198.51.100.{number}", RATE)
    assert "198.51" not in db.session.query(ThrottleBucket).first().key

    jobs.forget_old_rows(clock.now())
    assert count(ThrottleBucket) == 5
    with transaction():
        assert throttle.forget(now=clock.now() + timedelta(hours=1)) == 2
    jobs.forget_old_rows(clock.now() + timedelta(hours=1))
    assert count(ThrottleBucket) == 0


def test_a_count_is_one_statement_and_seen_by_whoever_counts_them(app, statements):
    with statements() as seen:
        throttling.limit("try", "dora", RATE)

    (counted,) = seen
    assert "INSERT INTO throttle_bucket" in counted


def test_a_count_waits_for_no_disk_and_the_next_change_does(app):
    throttling.limit("try", "dora", RATE)

    with db.engine.connect() as connection:
        if db.engine.dialect.name == "sqlite":
            driver = connection.connection.dbapi_connection
            kept = driver.execute("PRAGMA synchronous").fetchone()[0]
            driver.execute("PRAGMA synchronous = FULL")
            throttle._run_on_sqlite(driver, throttle.FORGET_ONE, {"key": ""})
            assert driver.execute("PRAGMA synchronous").fetchone()[0] == 2
            driver.execute(f"PRAGMA synchronous = {kept}")
        else:
            kind = "SELECT relpersistence FROM pg_class WHERE relname = :name"
            found = connection.scalar(text(kind), {"name": "throttle_bucket"})
            assert found == "u"
            assert not connection.connection.dbapi_connection.autocommit


def test_away_the_table_counts_and_then_redis_again(app, shared, redis, caplog):
    caplog.set_level(logging.WARNING)
    throttling.limit("try", "dora", RATE)
    redis.kill()

    for _ in range(3):
        throttling.limit("try", "dora", RATE)
    with pytest.raises(TooMany):
        throttling.limit("try", "dora", RATE)
    assert shared.away
    assert count(ThrottleBucket) == 1
    redis.start()
    throttling.limit("try", "dora", RATE)

    assert not shared.away
    assert throttling.left("try", "dora", RATE) == 2
    told = [line.message for line in caplog.records]
    assert told == [
        "Redis at 127.0.0.1: ConnectionError; the table counts",
        "Redis at 127.0.0.1 counts again",
    ]


def test_frozen_it_is_waited_for_once_and_asked_again_later(app, shared, redis):
    shared._pause = 60
    throttling.limit("try", "dora", RATE)
    os.kill(redis.process.pid, signal.SIGSTOP)
    try:
        begin = time.monotonic()
        throttling.limit("try", "dora", RATE)
        waited = time.monotonic() - begin
        asked = []
        shared._redis.incr = lambda *_: asked.append(1)
        throttling.limit("try", "dora", RATE)
    finally:
        os.kill(redis.process.pid, signal.SIGCONT)

    assert shared_counts.TIMEOUT * 0.9 < waited < 0.5 + shared_counts.TIMEOUT
    assert (asked, shared.away) == ([], True)


def test_what_answers_wrongly_is_not_believed(app, shared, redis):
    store = shared._redis.storage
    for wrong in (
        lambda: store.config_set("maxmemory", "1"),
        lambda: store.set(f"tradeboard:{key_of('dora')}", "many"),
        lambda: store.set(f"tradeboard:{key_of('dora')}", "-9"),
    ):
        wrong()
        throttling.limit("try", "dora", RATE)
        store.config_set("maxmemory", "0")
        assert shared.away

    assert db.session.query(ThrottleBucket).one().count == 3
    assert shared.check()


def key_of(name):
    return throttling._item(RATE).key_for("try", throttling._hashed(name))


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


def test_measuring_multiplies_every_rate_and_keeps_counting(app, monkeypatch):
    monkeypatch.setitem(app.config, "LIMIT_FACTOR", 1000)

    throttling.limit("try", "dora", RATE, cost=4)

    assert throttling.left("try", "dora", RATE) == 2996


@pytest.mark.parametrize(
    ("url", "factor", "refused"),
    [
        ("http://127.0.0.1:8000", 1000, False),
        ("https://board.example", 1, False),
        ("https://board.example", 2, True),
        ("http://127.0.0.1:8000", 0, True),
        ("http://127.0.0.1:8000", "many", True),
    ],
)
def test_more_than_the_rates_is_for_loopback(tmp_path, url, factor, refused):
    made = Flask("tradeboard", instance_path=str(tmp_path))
    settings = {
        "SECRET_KEY": "x" * 32,
        "TRUSTED_HOSTS": "board.example" if "board" in url else None,
        "PUBLIC_URL": url,
        "LIMIT_FACTOR": factor,
    }
    if refused:
        with pytest.raises(config.UnsafeConfiguration, match="LIMIT_FACTOR"):
            config.load(made, settings)
    else:
        config.load(made, settings)
