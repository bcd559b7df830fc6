"""Figures for who holds the token, of all workers of a host together."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

from tests.factories import MONDAY, in_transaction
from tradeboard.app import create_app
from tradeboard.audit.services import record
from tradeboard.config import UnsafeConfiguration
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.keeping.models import BackupRun, Kind
from tradeboard.notifications import services as notifications
from tradeboard.web import measuring, throttling
from tradeboard.web.metrics import KEY

TOKEN = "a token of the tests"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def measured(app, tmp_path, monkeypatch):
    """Let the application count into files of this test."""
    monkeypatch.setitem(app.config, "METRICS_TOKEN", TOKEN)
    monkeypatch.setenv(measuring.FOLDER, str(tmp_path))
    monkeypatch.setattr(values, "ValueClass", values.MultiProcessValue())
    kept = app.extensions[KEY]
    monkeypatch.setattr(kept, "once", None)
    monkeypatch.setattr(kept, "kept_at", float("-inf"))
    return tmp_path


def figures(said):
    """Read figures: {name{labels}: value}."""
    found = re.findall(r"^([a-z_]+(?:\{.*\})?) (\S+)$", said, re.MULTILINE)
    return {name: float(value) for name, value in found}


def ask(client, token=TOKEN):
    return client.get("/metrics", headers={"Authorization": f"Bearer {token}"})


def test_without_the_token_there_is_nothing_to_see(app, measured, monkeypatch):
    client = app.test_client()

    refused = [ask(client, "another"), ask(client, "あ"), client.get("/metrics")]
    client.set_cookie("session", "x")
    right = ask(client)
    monkeypatch.setitem(app.config, "METRICS_TOKEN", None)
    off = ask(client)

    assert [answer.status_code for answer in refused] == [401, 401, 401]
    assert right.status_code == 200
    assert off.status_code == 404
    assert all("Set-Cookie" not in one.headers for one in (*refused, right, off))


def test_a_short_token_stops_the_start():
    with pytest.raises(UnsafeConfiguration, match="METRICS_TOKEN"):
        create_app(METRICS_TOKEN="too short", SECRET_KEY="x" * 40)


def refuse(name, key, rate, **_):
    """Find every limit used up."""
    throttling.refuse(name, key, rate)


def test_requests_tables_and_what_was_refused_are_counted(
    app, alice, measured, monkeypatch
):
    now = clock.now()
    with in_transaction():
        db.session.add(JobRun(name="sweep-overdue", ok_at=now))
        db.session.add(
            BackupRun(
                kind=Kind.BACKUP, at=now, ok=True, bytes=1, seconds=1, name="", note=""
            )
        )
        notifications.queue_mail(alice, "no/such.txt", key="k", now=MONDAY)
        record("odd", "thing:1", by_id=None, now=now)
    client = app.test_client()
    for path in ("/healthz", "/healthz?q=secret", "/secret-page", "/members/secret"):
        client.get(path)
    client.get("/api/v1/blacklist/check?handle=secret")
    monkeypatch.setattr(throttling, "limit", refuse)
    client.get("/blacklist/numbers")

    said = ask(client).get_data(as_text=True)

    found = figures(said)
    ok = 'tradeboard_requests_total{method="GET",route="/healthz",status="2xx"}'
    assert found[ok] == 2
    nowhere = 'tradeboard_requests_total{method="GET",route="",status="4xx"}'
    assert found[nowhere] == 2
    limits = [name for name in found if name.startswith("tradeboard_throttled_total")]
    assert [found[name] for name in limits] == [1]
    assert found['tradeboard_request_seconds_count{route="/healthz"}'] == 2
    assert found['tradeboard_request_statements_bucket{le="1.0",route="/healthz"}'] == 2
    assert found["tradeboard_audit_head"] == 1
    assert found["tradeboard_mail_waiting"] == 1
    assert found["tradeboard_mail_oldest_seconds"] > 3600
    assert found["tradeboard_mail_dead"] == found["tradeboard_sweep_lag_seconds"] == 0
    assert found['tradeboard_job_age_seconds{job="sweep-overdue"}'] < 60
    assert found["tradeboard_backup_age_seconds"] < 60
    assert found["tradeboard_db_connections_in_use"] >= 0
    assert "tradeboard_build_info{" in said
    assert "secret" not in said
    assert "alice" not in said


def test_what_ended_processes_counted_is_kept_in_one_file(app, measured):
    client = app.test_client()
    client.get("/healthz")
    name = 'tradeboard_requests_total{method="GET",route="/healthz",status="2xx"}'
    ended = subprocess.Popen(["true"])
    ended.wait()
    own = next(measured.glob("counter_*.db"))
    own.with_name(f"counter_{ended.pid}.db").write_bytes(own.read_bytes())
    own.with_name(f"gauge_livesum_{ended.pid}.db").write_bytes(own.read_bytes())

    for _ in range(2):
        found = figures(ask(client).get_data(as_text=True))
        assert found[name] == 2

    left = {path.name for path in measured.glob("*.db")}
    assert f"counter_{ended.pid}.db" not in left
    assert f"gauge_livesum_{ended.pid}.db" not in left
    assert [value for _, value, *_ in read(measured / "counter_0.db")] == [1.0]


def read(path):
    return list(MmapedDict.read_all_values_from_file(str(path)))


def test_any_worker_answers_for_all(apps, tmp_path):
    app = apps("sqlite")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "TRADEBOARD_SECRET_KEY": app.config["SECRET_KEY"],
        "TRADEBOARD_DATABASE_URL": app.config["DATABASE_URL"],
        "TRADEBOARD_KEYRING": str(app.config["KEYRING"]),
        "TRADEBOARD_METRICS_TOKEN": TOKEN,
        measuring.FOLDER: str(tmp_path),
    }
    command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "-w", "2"]
    command += ["--threads", "2", "-b", f"127.0.0.1:{port}", "wsgi:app"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
    ) as server:
        try:
            ask_until(f"http://127.0.0.1:{port}", tmp_path)
            said = get(f"http://127.0.0.1:{port}/metrics")
            counted = [healthy(path) for path in tmp_path.glob("counter_*.db")]
        finally:
            server.terminate()
            server.wait(20)

    name = 'tradeboard_requests_total{method="GET",route="/healthz",status="2xx"}'
    assert len(counted) == 2
    assert all(counted)
    assert figures(said)[name] == sum(counted)


def healthy(path):
    """Return how many looks at its health one worker has counted."""
    return sum(value for key, value, *_ in read(path) if '"/healthz"' in key)


def get(url):
    """Ask on a connection of its own, so that any worker may answer."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def ask_until(url, folder):
    """Ask until both workers have counted."""
    until = time.monotonic() + 60
    while len(list(folder.glob("counter_*.db"))) < 2 and time.monotonic() < until:
        try:
            get(f"{url}/healthz")
        except OSError:
            time.sleep(0.1)
