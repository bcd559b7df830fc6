"""The bill of materials: `python3 run.py sbom [--out FILE] [--licences]`.

CycloneDX 1.6 in JSON: every locked package that runs on a board (and, marked as
excluded, what only builds and tests it), its licence and the hashes of its files, and
the files of others that lie in this tree.
"""

import argparse
import configparser
import re
import sys
from pathlib import Path

from cyclonedx.contrib.hash.factories import HashTypeFactory
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from frontdoor.ground import ROOT
from frontdoor.parts import Part, Vendored, parts, vendored

PAGE = "docs/licences.md"
MARK = re.compile(r"<!-- licences -->\n.*<!-- end -->\n", re.DOTALL)


def bill(every: list[Part], files: list[Vendored], version: str) -> str:
    """Write the bill as JSON."""
    bom = Bom()
    bom.metadata.component = board = Component(
        name="tradeboard", version=version, type=ComponentType.APPLICATION
    )
    components = [*map(_package, every), *map(_file, files)]
    bom.components.update(components)
    bom.register_dependency(board, components)
    return JsonV1Dot6(bom).output_as_string(indent=2)


def table(every: list[Part], files: list[Vendored]) -> str:
    """Write the licences as a page shows them."""
    rows = ["| package | licence | where |", "|---|---|---|"]
    rows += [
        f"| {part.name} | {part.licence} | {'board' if part.ships else 'tests'} |"
        for part in every
    ]
    rows += [f"| {file.name} | {file.licence} | front end |" for file in files]
    return "<!-- licences -->\n" + "\n".join(rows) + "\n<!-- end -->\n"


def page_with(text: str, licences: str) -> str:
    """Put the table into the page, in place of the one that was there."""
    return MARK.sub(lambda _: licences, text)


def main(arguments: list[str]) -> int:
    """Print the bill, write it to a file, or put the licences into their page."""
    parser = argparse.ArgumentParser(prog="run.py sbom", description=__doc__)
    parser.add_argument("--out", type=Path, help="write it to this file")
    parser.add_argument("--licences", action="store_true", help=f"renew {PAGE}")
    asked = parser.parse_args(arguments)
    every, files = parts(), vendored()
    if asked.licences:
        page = ROOT / PAGE
        old = page.read_text(encoding="utf-8")
        page.write_text(page_with(old, table(every, files)), encoding="utf-8")
        return 0
    text = bill(every, files, _version())
    if asked.out:
        asked.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


def _package(part: Part) -> Component:
    url = PackageURL("pypi", name=part.name, version=part.version)
    component = Component(
        name=part.name,
        version=part.version,
        type=ComponentType.LIBRARY,
        purl=url,
        bom_ref=str(url),
        scope=ComponentScope.REQUIRED if part.ships else ComponentScope.EXCLUDED,
        licenses=[LicenseFactory().make_from_string(part.licence)],
    )
    # A package has a file for each system; which of them is installed differs.
    files = [
        HashTypeFactory().from_composite_str(f"sha256:{value}") for value in part.hashes
    ]
    component.external_references.add(
        ExternalReference(
            type=ExternalReferenceType.DISTRIBUTION,
            url=XsUri(f"https://pypi.org/project/{part.name}/{part.version}/"),
            hashes=files,
        )
    )
    return component


def _file(file: Vendored) -> Component:
    return Component(
        name=file.name,
        version=file.version,
        type=ComponentType.FILE,
        bom_ref=f"vendored:{file.name}@{file.version}",
        description=file.source,
        licenses=[LicenseFactory().make_from_string(file.licence)],
        hashes=[HashTypeFactory().from_composite_str(f"sha256:{file.sha256}")],
    )


def _version() -> str:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    return setup["metadata"]["version"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
