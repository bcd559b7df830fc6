"""The rules of the house that no linter knows."""

import ast
import configparser
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = [
    path for path in (ROOT / "tradeboard").rglob("*.py") if "versions" not in path.parts
]
PACKAGES = {path.parent for path in MODULES if path.name == "__init__.py"}
LONGEST_MODULE = 300

# Folders that hold data, not a package.
NO_PACKAGES = {
    "macros",
    "vectors",
    "browser",
    "stories",
    "soaks",
    "tools",
    "core",
    "web",
}

REPEATED = re.compile(
    r"\{%-?\s*(for|endfor)\b|(<section\b[^>]*aria-labelledby=\"[^\"]*\{\{[^>]*>)"
)


def test_no_module_is_long():
    lengths = {path: path.read_text().count("\n") for path in MODULES}

    assert {p: n for p, n in lengths.items() if n > LONGEST_MODULE} == {}


def test_the_wheel_has_every_package():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    packages = {".".join(path.relative_to(ROOT).parts) for path in PACKAGES}

    listed = set(setup["options"]["packages"].split())

    assert listed == packages | {"tradeboard.templates"}


def test_folders_of_templates_and_tests_mirror_the_packages():
    folders = {path.name for top in ("templates", "tests") for path in folders_in(top)}

    assert folders - NO_PACKAGES <= {path.name for path in PACKAGES}


def test_every_package_says_in_one_line_what_it_is_for():
    for package in PACKAGES:
        docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text()))

        assert docstring, package


def test_sql_is_never_built_from_strings():
    for module in MODULES:
        if module.name == "env.py":
            continue
        assert not re.search(r"text\(\s*f[\"']", module.read_text()), module


def test_nobody_is_sent_to_an_address_that_a_request_holds():
    """Where somebody goes next is looked up in our own table of addresses."""
    for module in MODULES:
        assert not re.search(r"redirect\(\s*request\.", module.read_text()), module


def test_bulk_updates_stand_only_where_a_guard_wants_them():
    allowed = {
        "listings/services",
        "accounts/tokens.py",
        "accounts/services",
        "accounts/totp.py",
        "blacklist/services/feed.py",
        "notifications/services",
        "privacy/services",
        "core/heartbeat.py",
        "core/throttle.py",
        "scheduler/turns.py",
        "trades/services/rekeying.py",
    }
    found = {
        str(module.relative_to(ROOT / "tradeboard"))
        for module in MODULES
        if re.search(r"(?<!\.)\bupdate\(\s*[A-Z]\w+\)", module.read_text())
    }

    assert {f for f in found if not any(f.startswith(a) for a in allowed)} == set()


def test_templates_trust_no_text():
    for template in (ROOT / "templates").rglob("*.html"):
        assert "|safe" not in template.read_text().replace(" ", ""), template


def test_what_repeats_on_a_page_is_no_landmark():
    """Two devices may have one name; two landmarks of one name tell nobody anything."""
    for template in (ROOT / "templates").rglob("*.html"):
        loops = 0
        for found in REPEATED.finditer(template.read_text()):
            loops += {"for": 1, "endfor": -1}.get(found[1], 0)
            assert found[2] is None or loops == 0, (template, found[2])
        assert loops == 0, template


def folders_in(top):
    entries = (ROOT / top).iterdir()
    return [path for path in entries if path.is_dir() and path.name != "__pycache__"]
