"""What no page shows, and an auditor asks: how the code itself is made."""

import ast
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from tradeboard.accounts import passwords
from tradeboard.core import keyring
from tradeboard.core.errors import Unknown

ROOT = Path(__file__).parents[1]
MODULES = [path for path in (ROOT / "tradeboard").rglob("*.py")]
# Who may speak to another machine, and to which: docs/security.md names each.
ASKS_OTHERS = {
    "boto3": {"core/photo_bucket.py"},
    "http.client": {"client.py"},
    "psycopg": {"core/", "keeping"},
    "redis": {"core/shared_counts.py"},
    "requests": set(),
    "smtplib": {"notifications/mailer.py"},
    "urllib.request": {"client.py"},
    "urllib3": set(),
}
# What begins another program: photos, backups, and a trial of the latter.
BEGINS_PROGRAMS = {"core/images.py", "keeping"}
WEAK = {"md5", "sha1", "crc32", "DES", "ARC4", "Blowfish", "ECB"}
KEEPS_IN_THE_BROWSER = {"local-draft.js", "queue-keys.js", "room.js"}


def imported(module: Path) -> set[str]:
    """Return what a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{n.name}" for n in node.names)}
    return found


def place(module: Path) -> str:
    return module.relative_to(ROOT / "tradeboard").as_posix()


def test_only_these_modules_ask_other_machines_or_begin_programs():
    for module in MODULES:
        names = imported(module)
        for package, allowed in ASKS_OTHERS.items():
            if any(n == package or n.startswith(package + ".") for n in names):
                assert place(module).startswith(tuple(allowed)), (module, package)
        if "subprocess" in names:
            assert place(module).startswith(tuple(BEGINS_PROGRAMS)), module
        assert "shell=True" not in module.read_text(encoding="utf-8"), module


def test_no_weak_digest_cipher_or_dice_protects_anything():
    for module in MODULES:
        text = module.read_text(encoding="utf-8")
        used = {
            node.attr
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Attribute)
        }
        assert not used & WEAK, module
        if "random" in imported(module):
            # How long a second try waits is no secret.
            assert place(module) == "web/acting.py", module


def test_nothing_is_run_or_unpacked_that_somebody_sent():
    for module in MODULES:
        tree = ast.parse(module.read_text(encoding="utf-8"))
        called = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not called & {"eval", "exec", "__import__"}, module
        unsafe = {"pickle", "marshal", "shelve", "xml.etree.ElementTree", "yaml"}
        if place(module) == "web/compiled.py":
            # What this user compiled, from a folder that nobody else writes to.
            unsafe = unsafe - {"pickle"}
        assert not imported(module) & unsafe, module


def test_a_form_writes_no_field_that_nobody_named():
    for module in MODULES:
        text = module.read_text(encoding="utf-8")
        assert "populate_obj" not in text, module
        assert not re.search(
            r"\*\*\s*(request\.(form|values|args)|form\.data)", text
        ), module


def test_browsers_keep_drafts_and_one_switch_and_nothing_else():
    scripts = (ROOT / "tradeboard/static/js").rglob("*.js")
    keeping = {
        script.name
        for script in scripts
        if re.search(r"(local|session)Storage|indexedDB", script.read_text("utf-8"))
    }

    assert keeping == KEEPS_IN_THE_BROWSER


def test_the_manual_names_each_purpose_of_a_key():
    manual = (ROOT / "docs/operating.md").read_text(encoding="utf-8")

    for purpose in keyring.PURPOSES:
        assert f"| `{purpose}` |" in manual, purpose


def test_passwords_are_masked_and_password_managers_may_fill_them(app):
    html = (
        app.test_client().get("/register").text + app.test_client().get("/login").text
    )

    fields = re.findall(r"<input[^>]*name=\"password[^>]*>", html)
    assert fields
    for field in fields:
        assert 'type="password"' in field, field
        assert re.search(r'autocomplete="(new|current)-password"', field), field
        assert "maxlength" not in field, field
    assert "onpaste" not in html


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "PUT", "DELETE", "PATCH"])
def test_no_page_answers_a_method_that_it_does_not_name(app, method):
    client = app.test_client()

    for page in ("/", "/login", "/blacklist", "/static/site.css"):
        assert client.open(page, method=method).status_code in (400, 405), page


@pytest.mark.parametrize(
    "address",
    ["/static/", "/static/js/", "/.git/HEAD", "/static/../setup.cfg", "/instance/"],
)
def test_no_folder_is_listed_and_no_file_beside_the_board_is_served(app, address):
    assert app.test_client().get(address).status_code == 404


def test_too_many_passwords_at_once_are_told_to_come_again(monkeypatch):
    monkeypatch.setattr(passwords, "LONGEST_WAIT", 0.01)

    with ExitStack() as taken:
        for _ in range(passwords.AT_ONCE):
            passwords.hash_password("a long enough password")
            taken.enter_context(passwords.turn())
        with pytest.raises(Unknown):
            passwords.hash_password("a long enough password")
