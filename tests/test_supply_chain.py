"""What the product is made of is known, licensed, pinned, and looked after."""

import json
import re
from pathlib import Path

import yaml
from license_expression import get_spdx_licensing

from frontdoor import bill, parts

ROOT = Path(__file__).parents[1]
ON_A_BOARD = {
    *("MIT", "MIT-0", "MIT-CMU", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"),
    *("ISC", "0BSD", "Unlicense", "ZPL-2.1", "PSF-2.0"),
}
UNMODIFIED = {"psycopg", "psycopg-binary", "pi-heif"}
LESSER = {"LGPL-3.0-only"}
IN_TESTS = ON_A_BOARD | {"MPL-2.0"}
ACTION = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


def test_every_package_has_a_licence_that_is_allowed_where_it_is_used():
    licensing = get_spdx_licensing()

    for part in parts.parts():
        allowed = ON_A_BOARD if part.ships else IN_TESTS
        if part.name in UNMODIFIED:
            allowed = allowed | LESSER
        asked = set(licensing.license_keys(part.licence, unique=True))

        assert licensing.validate(part.licence).errors == [], part
        one_is_enough = " OR " in part.licence and " AND " not in part.licence
        assert asked & allowed if one_is_enough else asked <= allowed, part


def test_the_page_of_licences_is_that_of_the_locks():
    written = (ROOT / bill.PAGE).read_text(encoding="utf-8")
    wanted = bill.page_with(written, bill.table(parts.parts(), parts.vendored()))

    assert written == wanted, "python3 run.py sbom --licences"


def test_the_bill_of_materials_names_every_locked_package_with_its_hashes():
    locked = {}
    for lock in ("app.txt", "hosts.txt", "dev.txt"):
        text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
        for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE):
            locked[name] = version

    read = json.loads(bill.bill(parts.parts(), parts.vendored(), "1.2.3"))

    packages = {c["name"]: c for c in read["components"] if c["type"] == "library"}
    files = {c["name"]: c for c in read["components"] if c["type"] == "file"}
    assert (read["bomFormat"], read["specVersion"]) == ("CycloneDX", "1.6")
    assert read["metadata"]["component"]["version"] == "1.2.3"
    assert {name: c["version"] for name, c in packages.items()} == locked
    for name, package in packages.items():
        (source,) = package["externalReferences"]
        assert package["purl"] == f"pkg:pypi/{name}@{locked[name]}"
        assert package["licenses"], name
        assert source["hashes"], name
    assert packages["flask"]["scope"] == "required"
    assert packages["pytest"]["scope"] == "excluded"
    assert files.keys() == {file.name for file in parts.vendored()}


def test_every_locked_package_is_pinned_by_hash_and_comes_as_a_wheel():
    for part in parts.parts():
        assert part.hashes, part


def test_workflows_use_pinned_actions_and_may_read_alone():
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))

    assert [path.stem for path in workflows] == ["audit", "check"]
    for path in workflows:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert read["permissions"] == {"contents": "read"}, path
        for job in read["jobs"].values():
            assert "permissions" not in job
            assert job["timeout-minutes"] <= 60
            for step in job["steps"]:
                used = step.get("uses")
                assert used is None or ACTION.fullmatch(used), (path, used)
                assert "${{" not in step.get("run", ""), (path, "text becomes a script")
