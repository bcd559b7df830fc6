"""The front door, as a person meets it: a clear line instead of a traceback."""

import ast
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from frontdoor import demo, verbs
from tests import checkout
from tests.checkout import LOCK, ROOT
from tradeboard import config

NO_NETWORK = "NewConnectionError(...)\nERROR: No matching distribution found for wanted"


@pytest.fixture
def house(tmp_path):
    return checkout.make(tmp_path)


def run_as_old_python(house, path):
    """Run the door as Python 3.9 would see itself, with this PATH."""
    program = (
        "import runpy, sys; sys.version_info = (3, 9, 0); sys.argv = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(house.folder / "run.py"), "test", "-x"],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
    )


def test_an_old_python_can_read_the_door():
    source = (ROOT / "run.py").read_text(encoding="utf-8")

    assert ast.parse(source, feature_version=(3, 6))


def test_an_old_python_alone_gets_two_lines(house, tmp_path):
    done = run_as_old_python(house, tmp_path / "empty")

    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2
    assert "this is 3.9" in done.stderr


def test_an_old_python_hands_over_to_a_newer_one_that_starts(house, tmp_path):
    house.write("bin/python3.14", "#!/bin/sh\nexit 127\n").chmod(0o755)
    house.write("bin/python3.12", '#!/bin/sh\necho "new: $@"\n').chmod(0o755)

    done = run_as_old_python(house, tmp_path / "bin")

    assert done.returncode == 0
    assert done.stdout == f"new: {house.folder / 'run.py'} test -x\n"


def test_a_taken_port_is_said(house):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        line = house.refusal("--port", port)

    assert f"127.0.0.1 port {port}" in line
    assert not (house.folder / ".venv").exists()


def test_without_a_wish_the_next_free_port_is_taken_on_this_machine_alone(monkeypatch):
    """Scenario 32: not 5000, which other programs love."""
    asked = verbs._parser().parse_args([])
    assert (demo.FIRST_PORT, asked.port, asked.host) == (8000, None, "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = taken.getsockname()[1]
        monkeypatch.setattr(demo, "FIRST_PORT", busy)

        assert busy < demo.pick_port("127.0.0.1", None) < busy + demo.PORTS_TRIED


def test_a_port_that_cannot_be_is_said(house):
    assert "from 1 to 65535" in house.refusal("--port", "99999")


def test_without_venv_and_pip_there_is_the_apt_line_and_no_half(house):
    house.write("fakes/pip/__main__.py", "raise ImportError")

    line = house.refusal("setup", PATH=str(house.fakes))

    assert "apt-get install python3-venv" in line
    assert not (house.folder / ".venv").exists()
    house.write("fakes/pip/__main__.py", checkout.PIP)
    assert house.run("setup").returncode == 0


def test_without_ensurepip_the_systems_pip_installs(house):
    done = house.run("setup")

    assert done.returncode == 0, done.stderr
    locked, itself = house.pip_calls()
    assert "--only-binary :all: --require-hashes -r requirements/app.txt" in locked
    assert itself.endswith("--no-deps --no-build-isolation -e .")


@pytest.mark.parametrize("name", [".venv", "instance"])
def test_a_file_where_a_folder_should_be_is_said(house, name):
    house.write(name, "not a folder")

    assert name in house.refusal("seed")


def test_no_network_is_said_and_leaves_no_half(house):
    line = house.refusal("setup", PIP_SAYS=NO_NETWORK)

    assert "is there a network?" in line
    assert not (house.folder / ".venv").exists()


def test_another_hash_is_never_installed(house):
    says = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."

    line = house.refusal("setup", PIP_SAYS=says)

    assert "by its hash" in line
    assert len(house.pip_calls()) == 1


def test_without_a_wheel_the_ranges_are_taken(house):
    says = "ERROR: No matching distribution found for wanted==2.1"

    done = house.run("setup", PIP_SAYS=says)

    assert done.returncode == 0, done.stderr
    assert "ranges of setup.cfg" in done.stdout
    assert house.pip_calls()[1].endswith("--only-binary :all: wanted>=2 setuptools>=77")


def test_a_half_made_venv_is_made_anew(house):
    house.write(".venv/unfinished", "")
    house.write(".venv/pyvenv.cfg", "")

    done = house.run("setup")

    assert done.returncode == 0, done.stderr
    assert "Removing a half-made" in done.stdout
    assert not (house.folder / ".venv/unfinished").exists()


def test_the_stamp_saves_an_install_until_the_lock_changes(house):
    house.run("setup")
    house.run("setup")
    assert len(house.pip_calls()) == 2

    house.write("requirements/app.txt", LOCK + "\n")
    house.run("setup")
    assert len(house.pip_calls()) == 4


def test_the_demos_settings_are_private_and_written_once(house):
    house.run("seed")
    settings = house.folder / "instance/config.py"
    first = settings.read_text()
    house.run("seed")

    assert "DEMO = True" in first
    assert settings.read_text() == first
    assert settings.stat().st_mode & 0o777 == 0o600
    assert settings.parent.stat().st_mode & 0o777 == 0o700


def test_a_board_in_real_use_is_left_alone(house):
    house.write("instance/config.py", "DEMO = False\n")

    assert "DEMO = True" in house.refusal()


def test_a_database_from_outside_is_left_alone(house):
    assert "DEMO" in house.refusal(TRADEBOARD_DATABASE_URL="postgresql:///real")


def test_a_reset_spares_another_database(house):
    house.write("instance/config.py", "DEMO = True\nDATABASE_URL = 'postgresql:///d'\n")

    assert "another database" in house.refusal("--reset", "seed")


def test_a_step_that_fails_is_one_line(house):
    line = house.refusal("seed", FLASK_SAYS="Traceback of it\nKeyError: 'x'")

    assert line.startswith("`flask keys init` failed: KeyError: 'x'")


def test_the_demo_starts_a_dead_scheduler_again_and_ends_cleanly(house):
    starts = house.folder / "scheduler.starts"
    door = subprocess.Popen(
        house.command(), env=house.environment({}), stdout=subprocess.PIPE, text=True
    )
    out = ""
    while "starting it again" not in out or "Ctrl-C ends it" not in out:
        out += door.stdout.readline() or pytest.fail(out)
    until = time.monotonic() + 20
    while starts.read_text().count("started") < 2 and time.monotonic() < until:
        time.sleep(0.02)

    door.send_signal(signal.SIGINT)

    door.communicate(timeout=20)
    assert door.returncode == 0
    assert starts.read_text().count("started") == 2
    assert "The scheduler ended with code 70; starting it again" in out
    address = re.search(r"demo at http://127\.0\.0\.1:(\d+)", out)
    assert address
    with socket.create_server(("127.0.0.1", int(address[1]))):
        pass  # Nobody listens there any more.


def test_a_lock_that_lags_behind_is_named(house):
    house.write("requirements/app.txt", LOCK.replace("2.1", "1.9"))
    house.write("requirements/dev.txt", "--index-url https://host.example\n")

    done = subprocess.run(
        [sys.executable, "-m", "frontdoor.freshness"],
        cwd=house.folder,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "app.txt has wanted {'1.9'}, not wanted>=2" in done.stderr
    assert "dev.txt lacks wanted" in done.stderr
    assert "dev.txt names a host" in done.stderr
    assert "wanted differs between" in done.stderr


def test_the_example_names_every_setting():
    text = (ROOT / "instance/config.example.py").read_text(encoding="utf-8")

    assert set(re.findall(r"^([A-Z][A-Z0-9_]+) = ", text, re.M)) == set(config.DEFAULTS)
