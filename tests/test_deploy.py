"""The examples for operators: started as they are, but for paths, ports and keys."""

import http.client
import os
import pwd
import re
import shlex
import ssl
import subprocess
import sys
import urllib.parse
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
import redis
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from flask import current_app

from tests.factories import make_account
from tests.page_forms import form_fields
from tests.programs import Redis, find, free_port, running
from tests.soaks import boards
from tradeboard import config
from tradeboard.accounts import passwords
from tradeboard.web import throttling

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
HOST = "board.example"
PASSWORD = "correct horse battery staple"
FORGED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Real-IP": "203.0.113.9",
    "Forwarded": "for=203.0.113.9;host=evil.example",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Prefix": "/evil",
    "SCRIPT_NAME": "/evil",
    "X_FORWARDED_FOR": "203.0.113.9",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Start PostgreSQL, PgBouncer, Redis, gunicorn and nginx, each from its example."""
    nginx, pgbouncer = find("nginx"), find("pgbouncer")
    folder = tmp_path_factory.mktemp("site")
    with ExitStack() as started:
        counts = Redis(folder)
        counts.start()
        started.callback(counts.kill)
        environment = started.enter_context(boards.board("postgresql", folder))
        make_account("dora", password_hash=passwords.hash_password(PASSWORD))
        direct = environment["TRADEBOARD_DATABASE_URL"]
        pooled = started.enter_context(_pooler(pgbouncer, folder, direct))
        web = free_port()
        environment |= {
            "TRADEBOARD_DATABASE_URL": pooled,
            "TRADEBOARD_DATABASE_POOLER": "transaction",
            "TRADEBOARD_THROTTLE_URL": counts.url,
            "TRADEBOARD_PUBLIC_URL": f"https://{HOST}",
            "TRADEBOARD_QUICKEST_FORM": "2",
            "TRADEBOARD_TRUSTED_HOSTS": HOST,
            "TRADEBOARD_TRUSTED_PROXY_HOPS": "1",
        }
        server = [sys.executable, "-m", *_web_server(web)]
        log = folder / "log"
        started.enter_context(running(server, web, log, env=environment, cwd=ROOT))
        static = folder / "static"
        runner = current_app.test_cli_runner()
        written = [runner.invoke(args=["static", "write", str(static)]) for _ in "12"]
        assert [done.exit_code for done in written] == [0, 0], written[0].output
        front, plain = free_port(), free_port()
        arguments = _front(nginx, folder, web, front, plain)
        started.enter_context(running(arguments, front, log))
        yield SimpleNamespace(
            port=front, plain=plain, redis=redis.from_url(counts.url), static=static
        )


def test_a_page_its_files_and_a_change_pass_through_all_of_it(site):
    page = ask(site, "GET", "/", FORGED)
    assert page.status == 200
    assert "evil" not in page.text
    assert page.headers["Strict-Transport-Security"]
    assert "nginx/" not in page.headers["Server"]

    css = re.search(r'"(/static/[^"]+\.css\?v=[^"]+)"', page.text)[1]
    packed = ask(site, "GET", css, {"Accept-Encoding": "gzip"})
    assert (packed.status, packed.headers["Content-Encoding"]) == (200, "gzip")
    for answer in (packed, ask(site, "GET", css)):
        assert "max-age=31536000, immutable" in answer.headers["Cache-Control"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Vary"] == "Accept-Encoding"
    held = {"If-None-Match": ask(site, "HEAD", css).headers["ETag"]}
    assert ask(site, "GET", css, held).status == 304
    # Of another release this host knows nothing that may be kept.
    other = ask(site, "GET", css.partition("?")[0] + "?v=0123456789")
    assert (other.status, other.headers["Cache-Control"]) == (200, "no-cache")
    assert ask(site, "GET", "/static/../wsgi.py").status == 404

    assert ask(site, "HEAD", "/").body == b""
    moved = ask(site, "GET", "/x?y=1", port=site.plain)
    assert (moved.status, moved.headers["Location"]) == (301, f"https://{HOST}/x?y=1")
    assert ask(site, "GET", "/metrics").status == 404
    assert ask(site, "GET", "/", host="evil.example").status == 400

    login = ask(site, "GET", "/login")
    fields = form_fields(login.text, "/login") | {
        "email": "dora@example.com",
        "password": PASSWORD,
    }
    done = send(site, "/login", fields, login.cookies)
    assert done.status == 303, done.text
    me = ask(site, "GET", "/me", cookies={**login.cookies, **done.cookies})
    assert (me.status, "dora" in me.text) == (200, True)
    assert set(done.cookies) >= {"__Host-session"}


def test_nobody_says_where_they_come_from(site):
    site.redis.flushdb()
    for number in range(3):
        forged = FORGED | {"X-Forwarded-For": f"203.0.113.{number}"}
        assert ask(site, "GET", "/suggest?q=a", forged).status == 200

    (key,) = site.redis.keys("*suggest*")
    assert throttling._hashed("127.0.0.1/32") in key.decode()
    assert site.redis.get(key) == b"3"


def test_what_is_too_large_is_said_by_the_board_or_in_front_of_it(site):
    for size, words in ((50.5, "1回に50MBまで"), (52, "前の画面に戻り")):
        body = b"\r\n".join(
            [
                b"--x",
                b'Content-Disposition: form-data; name="photo"; filename="a.jpg"',
                b"",
                bytes(int(size * 1024 * 1024)),
                b"--x--",
                b"",
            ]
        )
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        answer = ask(site, "POST", "/register", kind, body=body)
        assert (answer.status, words in answer.text) == (413, True), answer.text[:300]


def ask(site, method, path, headers=None, *, host=HOST, port=None, **more):
    """Ask nginx, as a browser that trusts any certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = (
        http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        if port
        else http.client.HTTPSConnection(
            "127.0.0.1", site.port, timeout=30, context=context
        )
    )
    cookies = "; ".join(f"{k}={v}" for k, v in more.get("cookies", {}).items())
    sent = {"Host": host, "Accept-Language": "ja", **(headers or {})}
    sent |= {"Cookie": cookies} if cookies else {}
    # An answer may come before all has been sent.
    with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLError):
        connection.request(method, path, body=more.get("body"), headers=sent)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    jar = SimpleCookie()
    for line in answer.headers.get_all("Set-Cookie", []):
        jar.load(line)
    return SimpleNamespace(
        status=answer.status,
        headers=answer.headers,
        body=body,
        text="" if answer.headers["Content-Encoding"] else body.decode(),
        cookies={name: morsel.value for name, morsel in jar.items()},
    )


def send(site, path, fields, cookies):
    """Send a form."""
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    body = urllib.parse.urlencode(fields)
    return ask(site, "POST", path, kind, cookies=cookies, body=body)


def _web_server(port):
    """Return what the unit of the web server starts, on another port."""
    unit = (DEPLOY / "systemd/tradeboard-web.service").read_text()
    line = re.search(r"^ExecStart=(.*)$", unit, re.M)[1]
    program, *arguments = shlex.split(line)
    replaced = {"127.0.0.1:8000": f"127.0.0.1:{port}"}
    arguments = [replaced.get(one, one) for one in arguments]
    arguments[arguments.index("--workers") + 1] = "1"
    return [Path(program).name, *arguments]


def _replaced(text, pairs):
    """Replace parts of an example; each must be there."""
    for old, new in pairs.items():
        assert old in text, old
        text = text.replace(old, str(new))
    return text


def _front(program, folder, web, port, plain):
    """Make what nginx needs; return how to start it."""
    _certify(folder)
    example = (DEPLOY / "nginx/tradeboard.conf").read_text()
    example = re.sub(r"\n *listen \[::\].*", "", example)
    site = _replaced(
        example,
        {
            "127.0.0.1:8000": f"127.0.0.1:{web}",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{port} ssl http2;",
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "/etc/ssl/tradeboard": folder,
            "/var/log/nginx/tradeboard.log": folder / "nginx.log",
            "/srv/tradeboard/deploy": DEPLOY,
            "/var/lib/tradeboard-static": folder / "static",
        },
    )
    (folder / "site.conf").write_text(site)
    kinds = "client_body", "proxy", "fastcgi", "uwsgi", "scgi"
    passing = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    whole = f"""
    daemon off;
    pid {folder}/nginx.pid;
    error_log {folder}/nginx.log;
    {"user root;" if os.geteuid() == 0 else ""}
    worker_processes 1;
    events {{ worker_connections 64; }}
    http {{
        include /etc/nginx/mime.types;
        {passing}
        include {folder}/site.conf;
    }}
    """
    (folder / "nginx.conf").write_text(whole)
    command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr.replace('"user" directive', ""), checked.stderr
    return command


def _certify(folder):
    """Write a certificate that nobody has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(pem))
    private = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "privkey.pem").write_bytes(key.private_bytes(pem, *private))


@contextmanager
def _pooler(program, folder, direct):
    """Put the example of PgBouncer before a database; run it and return its address."""
    with psycopg.connect(direct) as connection:
        info = connection.info
        user, name = info.user, info.dbname
        where = {"host": info.host, "port": info.port}
    home = folder / "pooler"
    home.mkdir()
    port = free_port()
    (home / "userlist.txt").write_text(f'"{user}" "of the tests"\n')
    example = _replaced(
        (DEPLOY / "pgbouncer.ini").read_text(),
        {
            "host=127.0.0.1 port=5432": "host={host} port={port}".format(**where),
            "dbname=tradeboard": f"dbname={name}",
            "listen_port = 6432": f"listen_port = {port}",
            "/run/postgresql": home,
            "/etc/pgbouncer": home,
        },
    )
    (home / "pgbouncer.ini").write_text(example)
    command = [program, "-q", str(home / "pgbouncer.ini")]
    if os.geteuid() == 0:  # It refuses to run as root.
        owner = Path(where["host"]).owner()
        for path in (home, *home.parents):
            if path.stat().st_uid == 0 and path.stat().st_mode & 0o005 != 0o005:
                path.chmod(path.stat().st_mode | 0o055)
        os.chown(home, pwd.getpwnam(owner).pw_uid, -1)
        command[1:1] = ["-u", owner]
    url = f"postgresql://{user}:of%20the%20tests@127.0.0.1:{port}/tradeboard"
    with running(command, port, folder / "log"):
        yield url


def test_every_setting_in_an_example_exists():
    known = {f"TRADEBOARD_{name}" for name in config.DEFAULTS}
    for file in DEPLOY.rglob("*"):
        if file.is_file():
            named = set(re.findall(r"TRADEBOARD_[A-Z0-9_]+", file.read_text()))
            assert named <= known, file


def test_the_containers_are_shut_in_and_wait_for_each_other():
    whole = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = whole["services"]

    assert set(services) == {"db", "throttle", "migrate", "web", "scheduler", "front"}
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert set(service.get("networks", [])) <= set(whole["networks"]), name
        assert set(service.get("depends_on", {})) <= set(services), name
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            there = (DEPLOY / source).exists() or source == "./tls"
            assert there if source.startswith("./") else source in whole["volumes"]
        if name != "migrate":
            assert service["healthcheck"]["test"][0] == "CMD", name
    assert [name for name, one in services.items() if "ports" in one] == ["front"]
    copied = re.findall(
        r"^COPY (?!--from)(\S+)", (DEPLOY / "Dockerfile").read_text(), re.M
    )
    assert all((ROOT / name).exists() for name in copied)
    assert "\nUSER tradeboard\n" in (DEPLOY / "Dockerfile").read_text()


def test_nginx_in_its_container_says_the_same():
    rules = r"^ *(proxy_set_header|client_\w+|proxy_\w+timeout|ssl_\w+|error_page) .*;"

    def said(name):
        text = (DEPLOY / "nginx" / name).read_text()
        return [found[0] for found in re.finditer(rules, text, re.M)]

    assert said("compose.conf") == said("tradeboard.conf")


def test_the_units_are_sound_and_shut_in(tmp_path):
    program = find("systemd-analyze")
    fake = tmp_path / "srv/.venv/bin"
    fake.mkdir(parents=True)
    for name in ("gunicorn", "flask"):
        (fake / name).symlink_to("/bin/true")
    units = []
    for file in sorted((DEPLOY / "systemd").iterdir()):
        unit = tmp_path / file.name
        unit.write_text(
            file.read_text().replace("/srv/tradeboard", str(fake.parents[1]))
        )
        units.append(str(unit))

    verified = subprocess.run(
        [program, "verify", "--man=no", *units], capture_output=True, text=True
    )
    shut = subprocess.run(
        [program, "security", "--offline=true", "--threshold=25", *units],
        capture_output=True,
        text=True,
    )

    ours = [line for line in verified.stderr.splitlines() if str(tmp_path) in line]
    assert (verified.returncode, ours) == (0, []), verified.stderr
    assert shut.returncode == 0, shut.stdout + shut.stderr
