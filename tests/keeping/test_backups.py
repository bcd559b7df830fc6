"""A backup is whole, restores elsewhere, and is removed in its time."""

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url, select

from tests.factories import MONDAY, count, make_account
from tests.keeping import under_load
from tests.worlds import make_listing
from tradeboard.accounts.models import Account
from tradeboard.core import instance_lock, photo_store
from tradeboard.core.db import db
from tradeboard.core.photo_store import FolderStore
from tradeboard.keeping import backup, jobs, manifest, postgres
from tradeboard.keeping.manifest import Manifest
from tradeboard.keeping.models import BackupRun, Kind
from tradeboard.keeping.restore import restore

NIGHT = MONDAY + timedelta(hours=7)
A_DAY = timedelta(days=1)

# It moves each byte by one, and back.
AGE = """\
#!/bin/sh
from='\\000-\\377' to='\\001-\\377\\000' out=/dev/stdout
while getopts dr:i:o: option; do
  case $option in
    d) from='\\001-\\377\\000' to='\\000-\\377' ;;
    i) grep -q '^the key$' "$OPTARG" || exit 1 ;;
    o) out=$OPTARG ;;
  esac
done
shift $((OPTIND - 1))
LC_ALL=C exec tr "$from" "$to" < "${1:-/dev/stdin}" > "$out"
"""


def runs():
    """Return what was noted of backups and trials."""
    db.session.rollback()
    found = db.session.scalars(select(BackupRun).order_by(BackupRun.id))
    return [(run.kind, run.ok, run.note) for run in found]


def photo_of(folder, number=0):
    """Return where a photo of a listing lies."""
    return photo_store.path(Path(folder) / "listings", f"{number:032x}", 480)


def backups_in(folder):
    """Return the names in a folder of backups, locks aside."""
    return sorted(path.name for path in folder.iterdir() if "lock" not in path.name)


def make_board(app):
    """Make a member with a photo."""
    alice = make_account("alice")
    under_load.add_photo(app, make_listing(alice).id, alice.id, number=0)


@pytest.fixture
def run(request):
    """Return how to run a command of the board on SQLite: its code, what it says."""
    app = request.getfixturevalue("sqlite_app")
    runner = app.test_cli_runner()

    def run(*arguments):
        db.session.remove()
        db.engine.dispose()
        result = runner.invoke(args=[str(part) for part in arguments])
        return result.exit_code, result.output

    return run


def test_a_backup_under_load_restores_to_a_board_that_works(app, folders):
    """Guarantee D5."""
    wrong, facts = under_load.try_once(app, folders)

    assert wrong == []
    assert facts["photos"] >= 1
    assert facts["restored"] > 0


def test_each_night_makes_a_backup_and_tries_it(app, folders):
    make_board(app)

    did = [
        (jobs.back_up(now), jobs.prove_restore(now))
        for now in (NIGHT, NIGHT + timedelta(hours=1), NIGHT + A_DAY)
    ]

    assert did == [(1, 1), (0, 0), (1, 1)]
    assert runs() == [(Kind.BACKUP, True, ""), (Kind.PROOF, True, "")] * 2
    second, first = (path for _, path in backup.all_in(folders / "backups"))
    assert photo_of(first / "photos").samefile(photo_of(second / "photos"))
    assert {path.stat().st_mode & 0o77 for path in second.rglob("*")} == {0}
    assert backups_in(folders / "backups") == [first.name, second.name]
    done = subprocess.run(["sha256sum", "--check", manifest.FILES], cwd=second)
    assert done.returncode == 0
    said = manifest.read(second)
    assert (said.photos, said.missing, said.facts.counts["account"]) == (1, 0, 1)
    assert said.facts.audit_seq == 1


def test_a_trial_that_fails_is_noted_and_tried_again(sqlite_app, tmp_path):
    make_board(sqlite_app)
    jobs.back_up(NIGHT)
    [(_, path)] = backup.all_in(tmp_path / "backups")
    photo_of(path / "photos").write_bytes(b"rotten")

    for _ in range(2):
        with pytest.raises(manifest.Unusable):
            jobs.prove_restore(NIGHT)

    assert [(kind, ok) for kind, ok, _ in runs()[1:]] == [(Kind.PROOF, False)] * 2
    assert "is not as it was written" in runs()[1][2]
    assert jobs.back_up(NIGHT + A_DAY) == 1


def test_what_was_killed_looks_like_no_backup_and_is_cleared_away(
    sqlite_app, tmp_path, monkeypatch
):
    make_board(sqlite_app)
    kept = {}

    def die(self, folder):
        shutil.copytree(folder, tmp_path / "killed")
        kept["name"] = folder.name
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Manifest, "write", die)
        with pytest.raises(KeyboardInterrupt):
            jobs.make(tmp_path / "backups", now=NIGHT)
    assert backups_in(tmp_path / "backups") == []
    # A process that was killed leaves it as it was.
    shutil.move(tmp_path / "killed", tmp_path / "backups" / kept["name"])
    assert list(backup.all_in(tmp_path / "backups")) == []
    with pytest.raises(manifest.Unusable):
        manifest.check(tmp_path / "backups" / kept["name"])

    path, _ = jobs.make(tmp_path / "backups", now=NIGHT + A_DAY)

    assert backups_in(tmp_path / "backups") == [path.name]


def test_a_photo_that_is_gone_is_counted_and_taken_again_when_it_is_back(
    sqlite_app, tmp_path
):
    make_board(sqlite_app)
    photo = photo_of(tmp_path / "uploads")
    body = photo.read_bytes()
    photo.unlink()

    _, without = jobs.make(tmp_path / "backups", now=NIGHT)
    jobs.prove(tmp_path / "backups", now=NIGHT)
    photo.write_bytes(body)
    path, whole = jobs.make(tmp_path / "backups", now=NIGHT + A_DAY)

    assert (without.missing, whole.missing) == (1, 0)
    assert photo_of(path / "photos").read_bytes() == body


def test_a_board_is_restored_only_while_nobody_uses_it(sqlite_app, tmp_path, run):
    make_board(sqlite_app)
    path, _ = jobs.make(tmp_path / "backups", now=NIGHT)
    make_account("bob")
    photo_of(tmp_path / "uploads").unlink()
    database = Path(make_url(sqlite_app.config["DATABASE_URL"]).database)

    with closing(sqlite3.connect(database)):
        lock = instance_lock._open(instance_lock.lock_file(sqlite_app))
        instance_lock.fcntl.flock(lock, instance_lock.fcntl.LOCK_SH)
        refused, why = run("restore", path)
        instance_lock.os.close(lock)
    assert refused == 1
    assert "is running" in why
    assert count(Account) == 2

    code, said = run("restore", path / manifest.NAME, "--json")

    assert code == 0, said
    found = json.loads(said)
    assert found["ok"]
    assert found["photos_brought"] == 1
    assert [row.handle for row in db.session.scalars(select(Account))] == ["alice"]
    with closing(sqlite3.connect(found["before"])) as old:
        assert old.execute("SELECT count(*) FROM account").fetchone() == (2,)
    Path(found["before"]).unlink()


@pytest.mark.parametrize("harm", ["database", "photo", "gone", "list", "manifest"])
def test_what_is_not_as_it_was_written_is_not_restored(sqlite_app, tmp_path, run, harm):
    make_board(sqlite_app)
    path, made = jobs.make(tmp_path / "backups", now=NIGHT)
    photo = photo_of(path / "photos")
    if harm == "gone":
        photo.unlink()
    elif harm == "manifest":
        (path / manifest.NAME).write_text("{}")
    else:
        names = {"database": made.database_file, "list": manifest.FILES}
        broken = path / names[harm] if harm in names else photo
        broken.write_bytes(broken.read_bytes()[:-1] + b"?")

    code, said = run("restore", path, "--to", tmp_path / "there")

    assert code == 1
    assert said.startswith("Error: ")
    assert not (tmp_path / "there" / "tradeboard.sqlite3").exists()


def test_backups_are_encrypted_for_who_is_elsewhere(
    sqlite_app, tmp_path, run, monkeypatch
):
    program, key = tmp_path / "age", tmp_path / "key"
    program.write_text(AGE)
    program.chmod(0o700)
    key.write_text("the key")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setitem(sqlite_app.config, "BACKUP_RECIPIENT", "age1somebody")
    make_board(sqlite_app)

    path, _ = jobs.make(tmp_path / "backups", now=NIGHT)
    no_key = run("restore", path, "--to", tmp_path / "there")
    done = run("restore", path, "--to", tmp_path / "there", "--identity", key)

    bodies = [file.read_bytes() for file in path.rglob("*") if file.is_file()]
    assert not any(b"SQLite format" in body for body in bodies)
    assert not any(body.startswith(b"0" * 32) for body in bodies)
    assert no_key[0] == 1
    assert "is encrypted" in no_key[1]
    assert done[0] == 0, done[1]
    assert photo_of(tmp_path / "there" / "uploads").read_bytes().startswith(b"0" * 32)
    monkeypatch.setitem(sqlite_app.config, "BACKUP_IDENTITY", str(key))
    jobs.prove(tmp_path / "backups", now=NIGHT)


def test_a_database_of_postgresql_is_replaced_only_when_said_so(apps, tmp_path, ring):
    app = apps("postgresql")
    with app.app_context():
        store = FolderStore(tmp_path / "uploads")
        path, made = jobs.make(tmp_path / "backups", now=NIGHT)
        url = under_load.elsewhere(tmp_path)
        restore(path, url, store=store, now=NIGHT)

        with pytest.raises(postgres.Taken, match="has .* tables"):
            restore(path, url, store=store, now=NIGHT)
        used = app.config["DATABASE_URL"]
        db.session.execute(select(1))
        with pytest.raises(postgres.Taken, match="stop the web"):
            restore(path, used, store=store, now=NIGHT, replace=True)
        done = restore(path, url, store=store, now=NIGHT, replace=True)

        assert done.before.endswith("_before_20260601t190000z")
        for name in (done.before, make_url(url).database):
            postgres.drop(make_url(url), name)
        db.session.remove()
