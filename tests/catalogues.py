"""Translations: compile them, and find every text that needs one."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from jinja2 import Environment
from jinja2.ext import babel_extract

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tradeboard" / "translations"
ENGLISH = FOLDER / "en" / "LC_MESSAGES" / "messages.po"

# Kana and kanji; the long-vowel mark alone stands in patterns of dashes.
JAPANESE = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]")

# Japanese that is data or a pattern, not a sentence for people.
DATA = (
    "tradeboard/core/folding.py",
    "tradeboard/accounts/rules/email/free_text.py",
    "tradeboard/accounts/rules/phone.py",
    "tradeboard/accounts/rules/passwords.py",
    "tradeboard/accounts/rules/scripts.py",
    "tradeboard/accounts/rules/skeletons.py",
    "tradeboard/accounts/rules/handles.py",
    "tradeboard/blacklist/api/schemas.py",
    "tradeboard/cards/rules/columns.py",
    "tradeboard/cards/rules/plain.py",
    "tradeboard/config.py",
    "tradeboard/demo/",
    "tradeboard/migrations/",
    "tradeboard/trades/rules/words.py",
    "tradeboard/web/fields.py",
    "tradeboard/web/moments.py",
)


def compile_all() -> None:
    """Write each catalogue's .mo, if it is older than the .po."""
    for source in FOLDER.glob("*/LC_MESSAGES/messages.po"):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3])
        part = target.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as file:
            write_mo(file, catalogue)
        part.replace(target)


def languages() -> list[str]:
    """Return the languages that have a catalogue; the source needs none."""
    return sorted(path.parts[-3] for path in FOLDER.glob("*/LC_MESSAGES/messages.po"))


def path_of(language: str) -> Path:
    """Return where the catalogue of a language is."""
    return FOLDER / language / "LC_MESSAGES" / "messages.po"


def read(path: Path = ENGLISH) -> Catalog:
    """Return a catalogue as it is in the repository."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3])


def texts() -> dict[str | tuple[str, str], list[str]]:
    """Return every text for people, with the places where it stands."""
    found: dict[str | tuple[str, str], list[str]] = {}
    for text, place in [*_in_modules(), *_in_templates()]:
        found.setdefault(text, []).append(place)
    return found


def _in_modules() -> Iterator[tuple[str | tuple[str, str], str]]:
    for path in sorted((ROOT / "tradeboard").rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = _docstrings(tree)
        for node in ast.walk(tree):
            if node in said:
                continue
            if _is_marked(node):
                yield _marked(node), f"{place}:{node.lineno}"
            elif _is_sentence(node) and not place.startswith(DATA):
                yield node.value, f"{place}:{node.lineno}"


def _docstrings(tree: ast.AST) -> set[ast.AST]:
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }


# Plurals are named `ngettext`; any other marked text is a plain constant.
def _is_marked(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if name == "ngettext":
        return all(isinstance(arg, ast.Constant) for arg in node.args[:2])
    first = node.args[0]
    marked = name in {"message", "gettext", "_", "_l", "lazy_gettext", "say"}
    return marked and _is_sentence(first)


def _marked(node) -> str | tuple[str, str]:
    name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
    if name == "ngettext":
        return node.args[0].value, node.args[1].value
    return node.args[0].value


def _is_sentence(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_text and bool(JAPANESE.search(node.value))


def _in_templates() -> Iterator[tuple[str | tuple[str, str], str]]:
    folder = ROOT / "templates"
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.txt")]):
        place = path.relative_to(ROOT).as_posix()
        with path.open("rb") as file:
            options = {"encoding": "utf-8", "trimmed": "false"}
            keywords = ["_", "gettext", "ngettext"]
            for line, function, text, _ in babel_extract(file, keywords, [], options):
                if function == "ngettext":
                    yield (text[0], text[1]), f"{place}:{line}"
                else:
                    text = text if isinstance(text, str) else (text or [None])[0]
                    if text is not None:
                        yield text, f"{place}:{line}"


def unmarked_in_templates() -> list[str]:
    """Return the lines of templates with Japanese that nobody translates."""
    environment = Environment(autoescape=True)
    found = []
    for path in sorted((ROOT / "templates").rglob("*.*")):
        source = path.read_text(encoding="utf-8")
        for line, kind, value in environment.lex(source):
            # A language names itself, in every language.
            if kind == "data" and JAPANESE.search(value.replace("日本語", "")):
                found.append(f"{path.relative_to(ROOT)}:{line}: {value.strip()[:60]}")
    return found
