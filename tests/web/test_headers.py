"""Every answer has its headers, whatever it is; private pages are kept nowhere."""

import pytest

from tests import pages
from tests.conftest import start_empty
from tests.factories import make_account, make_session
from tests.page_forms import form_fields, get
from tradeboard.core import kept
from tradeboard.web import headers
from tradeboard.web.access import public

HERE = {"Origin": "http://localhost"}
TOO_LONG = b"note=" + b"x" * 1_100_000
FORM = "application/x-www-form-urlencoded"
OFF = {"Host": "evil.example"}


@pytest.fixture
def app(apps):
    """Return the application on SQLite alone: no header comes from a database."""
    app = apps("sqlite")
    with app.app_context():
        yield app


@pytest.fixture
def seen(app):
    """Return a browser in which somebody is signed in."""
    start_empty(app)
    kept.forget_all()
    client = app.test_client()
    token = make_session(make_account("alice"))
    with client.session_transaction() as session:
        session["_user_id"] = token
    return client


@public
def fail(**_):
    """Stand for a mistake of ours."""
    raise LookupError("secret 090-1234-5678")


def answers(client, app, monkeypatch):
    """Ask for an answer of each kind; yield what was asked, the status and it."""
    token = {"csrf_token": form_fields(get(client, "/login"), "/login")["csrf_token"]}
    css = "/static/site.css"
    etag = {"If-None-Match": client.get(css).headers["ETag"]}
    yield 200, client.get("/")
    yield 200, client.head("/help")
    yield 200, client.get(css)
    yield 304, client.get(css, headers=etag)
    yield 404, client.get("/static/none.css")
    yield 404, client.get("/static/../wsgi.py")
    yield 303, client.get("/me/devices")
    yield 303, client.post("/preferences", data={"theme": "dark"}, headers=HERE)
    yield 400, client.post("/login", data={"email": "a"})
    yield 400, client.get("/?q=a&q=b")
    yield 400, client.get("/?q=%00")
    yield 403, client.post("/preferences", headers={"Origin": "https://evil.example"})
    yield 404, client.get("/nowhere")
    yield 405, client.open("/", method="TRACE")
    yield 405, client.open("/me", method="PROPFIND")
    yield 405, client.put("/login", data=token)
    yield 413, client.post("/login", data=TOO_LONG, content_type=FORM)
    yield 422, client.post("/login", data=token, headers=HERE)
    yield 200, client.options("/login")
    yield 200, client.get("/api/v1/blacklist/check?handle=a")
    yield 204, client.options("/api/v1/blacklist/check")
    yield 401, client.get("/api/v1/blacklist/changes")
    yield 404, client.get("/api/v1/nothing")
    yield 401, client.post("/api/v1/blacklist/check", data=TOO_LONG)
    monkeypatch.setitem(app.view_functions, "health.web", fail)
    yield 500, client.get("/healthz")
    monkeypatch.setitem(app.config, "TRUSTED_HOSTS", ["localhost"])
    yield 400, client.get("/", headers=OFF)
    yield 400, client.get(css, headers=OFF)
    yield 400, client.get("/api/v1/blacklist/check?handle=a", headers=OFF)


def test_every_answer_has_every_header(app, monkeypatch):
    monkeypatch.setitem(app.config, "SESSION_COOKIE_SECURE", True)
    client = app.test_client()
    client.environ_base["wsgi.url_scheme"] = "https"

    for status, answer in answers(client, app, monkeypatch):
        asked = f"{answer.request.method} {answer.request.path}"
        assert answer.status_code == status, (asked, answer.status, answer.text)
        for name, value in headers.ALWAYS.items():
            if name == "Cross-Origin-Resource-Policy" and "/check" in asked:
                assert answer.headers[name] in ("cross-origin", value), asked
                continue
            assert answer.headers.getlist(name) == [value], (asked, name)
        assert answer.headers["Strict-Transport-Security"] == headers.ONE_YEAR, asked
        assert answer.headers["Cache-Control"], asked
        assert answer.headers["X-Request-ID"], asked
        assert "evil.example" not in str(answer.headers) + answer.text, asked
        assert "1234-5678" not in answer.text, asked
        for cookie in answer.headers.getlist("Set-Cookie"):
            assert "Domain=" not in cookie
            assert "Path=/" in cookie
        answer.close()


def test_the_policy_lets_nothing_inline_or_foreign_in():
    allowed = {
        directive.split()[0]: directive.split()[1:]
        for directive in headers.POLICY.split("; ")
    }

    assert {source for sources in allowed.values() for source in sources} == {
        "'self'",
        "'none'",
    }
    for name in ("default-src", "base-uri", "frame-ancestors", "object-src"):
        assert allowed[name] == ["'none'"]


def test_what_somebody_sees_who_is_signed_in_is_kept_nowhere(app, seen):
    for path in ("/", "/me", "/help", "/me/devices", "/nowhere", "/blacklist"):
        answer = seen.get(path)
        assert answer.headers["Cache-Control"] == "no-store", path
        assert "Cookie" in answer.vary, path
    out = pages.submit(seen, "/me", "/logout")
    assert out.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert out.headers["Cache-Control"] == "no-store"
