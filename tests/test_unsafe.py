"""An unsafe board does not start, and says every reason at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask

from tradeboard import config

ROOT = Path(__file__).parents[1]
SAFE = {
    "SECRET_KEY": "3f9a" * 16,
    "PUBLIC_URL": "https://board.example",
    "TRUSTED_HOSTS": ["board.example"],
}
LOCAL = {"PUBLIC_URL": "http://127.0.0.1:8000", "TRUSTED_HOSTS": None}
UNSAFE = [
    ({"SECRET_KEY": "dev"}, "SECRET_KEY"),
    ({"SECRET_KEY": "change-me-to-at-least-32-random-characters"}, "SECRET_KEY"),
    ({"SECRET_KEY": 12345678901234567890123456789012}, "SECRET_KEY must be a text"),
    ({"SECRET_KEY_FALLBACKS": "3f9a" * 16}, "SECRET_KEY_FALLBACKS must be a list"),
    ({"SECRET_KEY_FALLBACKS": ["a"]}, "Set SECRET_KEY_FALLBACKS"),
    ({"PUBLIC_URL": "http://board.example"}, "https"),
    ({"PUBLIC_URL": "https://me:pw@board.example"}, "nothing else"),
    ({"PUBLIC_URL": "https://other.example"}, "must name other.example"),
    ({"PUBLIC_URL": LOCAL["PUBLIC_URL"]}, "https address that TRUSTED_HOSTS"),
    ({"TRUSTED_HOSTS": None}, "Set TRUSTED_HOSTS"),
    ({"TRUSTED_HOSTS": ["*", "board.example"]}, "without stars"),
    ({"TRUSTED_HOSTS": [".example", "board.example"]}, "leading dots"),
    ({"TRUSTED_HOSTS": 7}, "TRUSTED_HOSTS must be a list"),
    ({"TRUSTED_PROXY_HOPS": -1}, "TRUSTED_PROXY_HOPS"),
    ({"TRUSTED_PROXY_HOPS": True}, "TRUSTED_PROXY_HOPS must be a whole number"),
    ({"DEMO": True}, "unset DEMO"),
    ({"DEMO": "False"}, "DEMO must be true or false"),
    ({"DEBUG": True}, "Debug is for loopback"),
    ({"LIMIT_FACTOR": 2}, "unset LIMIT_FACTOR"),
    ({"QUICKEST_FORM": 1}, "unset QUICKEST_FORM"),
    ({"ARGON2_MEMORY": 64}, "ARGON2_MEMORY"),
    ({"METRICS_TOKEN": "short"}, "METRICS_TOKEN"),
    ({"SMTP_HOST": "mail.example", "SMTP_PASSWORD": "x", "SMTP_STARTTLS": False}, "un"),
    ({"TRACKING_URLS": {"x": "http://a/{number}"}}, "TRACKING_URLS"),
    ({"TRACKING_URLS": "https://a/{number}"}, "TRACKING_URLS must be a JSON object"),
    ({"PHOTO_STORE": "/srv/photos"}, "PHOTO_STORE"),
    ({"THROTTLE_URL": "http://counts"}, "THROTTLE_URL"),
    ({"DATABASE_POOLER": "session"}, "DATABASE_POOLER"),
    ({"DATABASE_REPLICA_URL": "postgresql://standby/tradeboard"}, "PostgreSQL"),
]


def reasons(folder, **settings):
    """Return why a board with these settings would not start."""
    made = Flask("tradeboard", instance_path=str(folder))
    config.load(made, {**SAFE, **settings, "LOOKED_AT": True})
    return made.config["UNSAFE"]


def test_a_safe_board_has_no_reason(tmp_path):
    assert reasons(tmp_path) == []
    assert reasons(tmp_path, **LOCAL, LIMIT_FACTOR=5, DEMO=True, DEBUG=True) == []
    assert reasons(tmp_path, TRUSTED_HOSTS="board.example, www.board.example") == []


@pytest.mark.parametrize(("settings", "said"), UNSAFE)
def test_each_unsafe_setting_has_its_reason(tmp_path, settings, said):
    found = reasons(tmp_path, **settings)

    assert [reason for reason in found if said in reason], found


def test_all_reasons_are_said_at_once(tmp_path):
    made = Flask("tradeboard", instance_path=str(tmp_path))
    wrong = {"SECRET_KEY": "dev", "TRUSTED_HOSTS": 7, "DEMO": True, "DEBUG": True}
    wrong |= {"PUBLIC_URL": "http://board.example", "LIMIT_FACTOR": 9}

    with pytest.raises(config.UnsafeConfiguration) as refused:
        config.load(made, wrong)

    assert len(str(refused.value).splitlines()) == 7


def test_keys_that_others_read_or_that_lie_with_photos_stop_the_start(tmp_path):
    ring = tmp_path / "uploads" / "keyring.json"
    ring.parent.mkdir()
    ring.write_text("{}")
    ring.chmod(0o644)

    assert [
        r.partition(" (")[0].partition(":")[0]
        for r in reasons(tmp_path, KEYRING=ring, UPLOADS=ring.parent)
    ] == ["The keyring is open to others", "The keyring lies in UPLOADS"]
    ring.chmod(0o600)
    assert reasons(tmp_path, KEYRING=ring, UPLOADS=tmp_path / "photos") == []


def test_the_environment_switches_no_protection_off(tmp_path, monkeypatch):
    for name in ("TESTING", "WTF_CSRF_CHECK_DEFAULT", "SESSION_COOKIE_HTTPONLY"):
        monkeypatch.setenv(f"TRADEBOARD_{name}", "true" if name == "TESTING" else "0")
    monkeypatch.setenv("TRADEBOARD_WTF_CSRF_ENABLED", "false")
    monkeypatch.setenv("TRADEBOARD_SESSION_COOKIE_DOMAIN", "example")
    made = Flask("tradeboard", instance_path=str(tmp_path))

    config.load(made, SAFE)

    assert not made.testing
    assert made.config["WTF_CSRF_ENABLED"] is made.config["WTF_CSRF_CHECK_DEFAULT"]
    assert made.config["WTF_CSRF_ENABLED"] is True
    assert made.config["SESSION_COOKIE_HTTPONLY"] is True
    assert made.config["SESSION_COOKIE_DOMAIN"] is None
    with pytest.raises(config.UnsafeConfiguration):
        config.load(made, {**SAFE, "SECRET_KEY": "dev"})


def test_commands_say_the_reasons_in_lines_and_the_doctor_examines_on(tmp_path):
    environment = os.environ | {
        "TRADEBOARD_DATABASE_URL": f"sqlite:///{tmp_path}/a.sqlite3",
        "TRADEBOARD_KEYRING": str(tmp_path / "keyring.json"),
        "TRADEBOARD_PUBLIC_URL": "http://board.example",
        "TRADEBOARD_SECRET_KEY": "dev",
        "TRADEBOARD_DEMO": "false",
    }

    def said(*command):
        flask = [sys.executable, "-m", "flask", "--app", "wsgi", *command]
        done = subprocess.run(
            flask, cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 1
        return done.stdout + done.stderr

    for command in (["routes"], ["doctor"]):
        text = said(*command)
        assert "Traceback" not in text
        for reason in ("SECRET_KEY", "must be https", "Set TRUSTED_HOSTS"):
            assert reason in text
    assert "revision" in text or "schema" in text
