"""The doctor finds what is wrong, and only that; admins hear of late backups."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from tests import pages
from tests.conftest import start_empty
from tests.factories import make_account, make_session
from tests.keeping import under_load
from tests.keeping.test_backups import make_board, photo_of
from tradeboard.accounts.rules.standing import Role
from tradeboard.core import clock
from tradeboard.core.db import db, writing
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.transaction import transaction
from tradeboard.keeping import doctor, jobs, programs
from tradeboard.moderation.jobs import tell_of_backups
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

AN_HOUR = timedelta(hours=1)
A_DAY = timedelta(days=1)


def examined(app, **more):
    """Return what the doctor says of a board."""
    db.session.rollback()
    return doctor.examine(app.config["DATABASE_URL"], clock.now(), **more)


def found(app, **more):
    """Return which checks find something."""
    return {finding.check for finding in examined(app, **more).findings}


@pytest.fixture
def by_hand(request):
    """Return how to change the tables past the models, with foreign keys off."""

    def by_hand(*statements):
        db.session.remove()
        token = writing.set(True)
        with db.engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            if db.engine.dialect.name == "sqlite":
                raw.execute("PRAGMA foreign_keys = OFF")
            with connection.begin():
                for statement in statements:
                    connection.execute(text(statement))
            if db.engine.dialect.name == "sqlite":
                raw.execute("PRAGMA foreign_keys = ON")
        writing.reset(token)

    return by_hand


def test_a_board_that_is_well_has_no_finding(app, folders):
    make_board(app)

    report = examined(app)

    assert report.findings == []
    assert report.facts["counts"]["account"] == 1
    assert (report.facts["photos"], report.facts["photos_lost"]) == (1, 0)
    assert report.facts["audit_rows"] == 1


def test_each_thing_that_is_wrong_is_found(sqlite_app, tmp_path, by_hand):
    make_board(sqlite_app)
    lost, left = (photo_of(tmp_path / "uploads", number) for number in (0, 9))
    left.write_bytes(b"nobody's")
    assert found(sqlite_app) == set()

    lost.unlink()
    by_hand(
        "UPDATE account SET email_kid = 'k9'",
        "DROP INDEX ix_backup_run_kind_at",
        "UPDATE line SET listing_id = 77",
        "DROP TRIGGER audit_row_no_update",
        "UPDATE audit_row SET action = 'x'",
    )
    os.utime(left, (0, 0))
    report = examined(sqlite_app)
    assert [finding.check for finding in report.findings] == [
        "constraints",
        "constraints",
        "foreign keys",
        "photos",
        "photos",
        "keys",
        "audit log",
    ]
    assert report.facts["photos_lost"] == report.facts["photos_unnamed"] == 1

    by_hand("UPDATE alembic_version SET version_num = '0005'")
    assert found(sqlite_app) == {"schema"}


def test_on_postgresql_too_the_tables_are_compared(apps, tmp_path, by_hand):
    app = apps("postgresql")
    with app.app_context():
        start_empty(app)
        by_hand("DROP INDEX ix_backup_run_kind_at")
        try:
            # Photos of other tests may lie in the folder of this application.
            assert found(app) - {"photos"} == {"constraints"}
        finally:
            by_hand("CREATE INDEX ix_backup_run_kind_at ON backup_run(kind, at)")
        db.session.remove()


def test_of_a_running_board_jobs_and_backups_are_looked_at(sqlite_app, tmp_path):
    every = {"sweep-overdue": timedelta(minutes=1)}
    now = clock.now()

    with transaction():
        db.session.add(JobRun(name="remind", error="LookupError: none"))
    many = every | {"remind": A_DAY, "expire-entries": A_DAY}
    texts = [one.text for one in examined(sqlite_app, every=many).findings]
    assert texts == [
        "remind fails, and last went well: never. LookupError: none.",
        "2 of 3 jobs do not run: sweep-overdue, expire-entries.",
        "No backup is noted of the last 48 hours.",
    ]

    with transaction():
        db.session.add(JobRun(name="sweep-overdue", ok_at=now))
    jobs.make(tmp_path / "backups", now=now)
    assert found(sqlite_app, every=every) == {"backups"}

    jobs.prove(tmp_path / "backups", now=now)
    assert found(sqlite_app, every=every, whole_fleet=True) == set()


def test_the_command_says_a_line_each_and_ends_with_1(sqlite_app, tmp_path):
    make_board(sqlite_app)
    runner = sqlite_app.test_cli_runner()
    db.session.remove()
    photo_of(tmp_path / "uploads").unlink()

    plain = runner.invoke(args=["doctor"])
    as_json = runner.invoke(args=["doctor", "--json"])

    assert plain.exit_code == as_json.exit_code == 1
    assert "photos: 1 photos that rows name have no file: listings/" in plain.output
    said = json.loads(as_json.output)
    assert not said["ok"]
    assert said["facts"]["counts"]["listing"] == 1


def test_admins_hear_once_a_day_and_see_it_until_it_is_well(sqlite_app, tmp_path):
    token, now = make_session(make_account("boss", role=Role.ADMIN)), clock.now()
    client = sqlite_app.test_client()
    with client.session_transaction() as session:
        session["_user_id"] = token
    assert "まだありません" in pages.get(client, "/desk/system")
    for back in (3 * A_DAY, 3 * A_DAY - AN_HOUR):
        jobs.make(tmp_path / "backups", now=now - back)
        jobs.prove(tmp_path / "backups", now=now - back)

    assert tell_of_backups(now) == 1
    tell_of_backups(now)
    late = pages.get(client, "/desk/system"), pages.get(client, "/desk")
    [mail] = db.session.query(OutboxMail).all()
    subject, body = mailer.render(mail)
    jobs.make(tmp_path / "backups", now=now)
    jobs.prove(tmp_path / "backups", now=now)
    well = pages.get(client, "/desk/system"), pages.get(client, "/desk")

    assert "48時間以上" in subject
    assert "/desk/system" in body
    assert all("48時間以上" in page for page in late)
    assert not any("48時間以上" in page for page in well)
    assert tell_of_backups(now) == 0
    assert "最後に復元できた日時" in well[0]


def test_the_programs_of_postgresql_must_not_be_older(monkeypatch, tmp_path):
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n")
    old.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{under_load.PROGRAMS}:/bin")

    assert programs.find_postgres("pg_dump", 9) == str(old)
    found = Path(programs.find_postgres("pg_dump", 10))
    assert found.parent == under_load.PROGRAMS
    with pytest.raises(programs.Failed, match="99 or newer"):
        programs.find_postgres("pg_dump", 99)
