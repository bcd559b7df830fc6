"""Behind PgBouncer in transaction mode: few connections, and every wait still ends."""

import os
import pwd
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests import databases, programs
from tests.conftest import new_app
from tests.factories import MONDAY, count
from tradeboard.core.db import db
from tradeboard.core.once import Submission
from tradeboard.core.transaction import transaction

PORT = 6432
PATIENCE = 10.0
CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
unix_socket_dir = {folder}
listen_port = {listen}
auth_type = any
pool_mode = transaction
default_pool_size = 3
"""


@pytest.fixture
def pooled(tmp_path, ring):
    """Return an application that reaches its database through a pooler."""
    program = programs.find("pgbouncer")
    direct = databases.url("postgresql", tmp_path)
    with psycopg.connect(direct) as connection:
        info = connection.info
        name = info.dbname
        where = {"host": info.host, "port": info.port, "user": info.user}
    folder = tmp_path / "pooler"
    folder.mkdir()
    file = folder / "pgbouncer.ini"
    file.write_text(CONFIGURATION.format(**where, folder=folder, listen=PORT))
    command = [program, "-q", str(file)]
    if os.geteuid() == 0:  # It refuses to run as root.
        for path in (folder, *folder.parents):
            if path.stat().st_uid == 0 and path.stat().st_mode & 0o005 != 0o005:
                path.chmod(path.stat().st_mode | 0o055)
        owner = Path(where["host"]).owner()  # Who may reach the server.
        os.chown(folder, pwd.getpwnam(owner).pw_uid, -1)
        command[1:1] = ["-u", owner]
    child = subprocess.Popen(command)
    try:
        url = f"postgresql://{where['user']}@/{name}?host={folder}&port={PORT}"
        _wait_for(url)
        app = new_app(tmp_path, ring, url, DATABASE_POOLER="transaction")
        with app.app_context():
            yield app
            db.session.remove()
            db.engine.dispose()
    finally:
        child.terminate()
        child.wait()


def _wait_for(url):
    until = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def test_many_share_few_connections_and_no_wait_is_endless(pooled):
    def write(number):
        with pooled.app_context():
            for part in range(5):
                with transaction():
                    count(Submission)
                    row = Submission(
                        account_id=1,
                        submit_id=f"{number}-{part}",
                        target="/",
                        at=MONDAY,
                    )
                    db.session.add(row)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(24)))

    assert count(Submission) == 120
    db.session.rollback()
    for writes in (transaction, pooled.app_context):
        with writes():
            assert limits() == ["5s", "3s", "15s"]
        db.session.rollback()
    with pytest.raises(DBAPIError, match="read-only"):
        db.session.execute(text("CREATE TABLE never (id integer)"))
    db.session.rollback()
    with db.engine.connect() as connection:
        driver = connection.connection.dbapi_connection
        assert driver.prepare_threshold is None


def limits():
    names = "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"
    ask = text("SELECT current_setting(:name)")
    return [db.session.scalar(ask, {"name": name}) for name in names]
