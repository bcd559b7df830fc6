"""Templates compiled once a language, so that no page looks its words up.

`_("…")` becomes what it says while the template is compiled; its gaps stay. A drawing
that is named in the template becomes one look into a table.
"""

import hashlib
from collections.abc import Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, request
from flask.templating import Environment
from flask_babel import get_locale
from jinja2 import BytecodeCache, Template, nodes
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from tradeboard.core import languages

SAYING = frozenset({"_", "gettext"})
DRAWING, DRAWN = "icon", "drawn"
# Parts of the frame; some kilobytes each.
PARTS_KEPT = 512
# Counted up whenever what is put into templates changes.
FORMAT = 1


class Said(Template):
    """A template that is imported as it is: none is given names of its own."""

    def _get_default_module(self, ctx=None):
        return super()._get_default_module()


class Spoken(Environment):
    """The environment of an application; what it gives out speaks the reader's."""

    template_class = Said
    language = ""

    def _in_readers_language(self) -> "Spoken":
        if self.language:
            return self
        spoken = self.__dict__.setdefault("in_languages", {})
        locale = str(get_locale() or languages.SOURCE)
        if locale not in spoken:
            codes = {str(languages.conventions(c)): c for c in languages.codes()}
            spoken[locale] = self.speaking(codes.get(locale, languages.SOURCE))
        return spoken[locale]

    def speaking(self, code: str) -> "Spoken":
        """Return the environment of one language; all but the templates is shared."""
        made = self.overlay()
        made.language = code
        if self.bytecode_cache is not None:
            made.bytecode_cache = _Apart(self.bytecode_cache, code)
        return made

    def get_template(self, name, parent=None, globals=None):
        """Return a template in the reader's language."""
        spoken = self._in_readers_language()
        return super(Spoken, spoken).get_template(name, parent, globals)

    def select_template(self, names, parent=None, globals=None):
        """Return the first template that there is, in the reader's language."""
        spoken = self._in_readers_language()
        return super(Spoken, spoken).select_template(names, parent, globals)

    def from_string(self, source, globals=None, template_class=None):
        """Return a template from its text, in the reader's language."""
        spoken = self._in_readers_language()
        return super(Spoken, spoken).from_string(source, globals, template_class)

    def _parse(self, source, name, filename):
        tree = super()._parse(source, name, filename)
        if not self.language:
            return tree
        escapes = self.autoescape
        escapes = escapes(name) if callable(escapes) else escapes
        said = _Saying(self.language, bool(escapes)).visit(tree)
        return said.set_environment(self)


class _Saying(NodeTransformer):
    """Puts into a template what its texts say."""

    def __init__(self, language: str, escapes: bool):
        self.say = languages.catalogue(language).gettext
        self.escapes = escapes

    def visit_Call(self, node: nodes.Call, *args: Any, **kwargs: Any) -> nodes.Node:
        """Replace `_("…")`, `_("…", gap=…)` and `icon("…")`."""
        self.generic_visit(node, *args, **kwargs)
        if not isinstance(node.node, nodes.Name) or not _names_one_text(node):
            return node
        text = node.args[0].value  # type: ignore[attr-defined]  # a Const, as asked
        if node.node.name == DRAWING and not node.kwargs:
            drawn = nodes.Name(DRAWN, "load", lineno=node.lineno)
            return nodes.Call(drawn, node.args, [], None, None, lineno=node.lineno)
        if node.node.name in SAYING:
            return self._said(text, node.kwargs, node.lineno)
        return node

    def _said(self, text: str, gaps: list[nodes.Keyword], lineno: int) -> nodes.Expr:
        said = self.say(text)
        if not gaps:
            said %= {}
        word: nodes.Expr = nodes.Const(said, lineno=lineno)
        if self.escapes:
            word = nodes.MarkSafe(word, lineno=lineno)
        if not gaps:
            return word
        pairs = [
            nodes.Pair(nodes.Const(gap.key, lineno=lineno), gap.value, lineno=lineno)
            for gap in gaps
        ]
        return nodes.Mod(word, nodes.Dict(pairs, lineno=lineno), lineno=lineno)


def _names_one_text(node: nodes.Call) -> bool:
    is_alone = len(node.args) == 1 and not node.dyn_args and not node.dyn_kwargs
    first = node.args[0] if is_alone else None
    return isinstance(first, nodes.Const) and isinstance(first.value, str)


class _Apart(BytecodeCache):
    """Keeps compiled templates of one language apart from those of the others."""

    def __init__(self, cache: BytecodeCache, code: str):
        self.cache = cache
        self.code = code
        self.mark = f"{FORMAT}:{_digest(languages.folder(), code)}"

    def get_bucket(self, environment, name, filename, source):
        """Return what was compiled of this source in this language.

        Its place is that of what was compiled before of another source.
        """
        marked = f"{self.mark}\n{source}"
        return self.cache.get_bucket(environment, f"{self.code} {name}", None, marked)

    def set_bucket(self, bucket):
        """Keep what was compiled."""
        self.cache.set_bucket(bucket)


def _digest(folder: Path, code: str) -> str:
    files = sorted(folder.glob(f"{code}/LC_MESSAGES/*.mo"))
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest()[:16]


def init_app(app: Flask) -> None:
    """Draw for the templates."""

    @lru_cache(maxsize=1024)
    def draw(_mounted_at: str, name: str) -> Markup:
        icons = app.jinja_env.get_template("macros/icons.html").module
        return Markup(icons.icon(name))  # type: ignore[attr-defined]  # its macro

    def drawn(name: str) -> Markup:
        return draw(request.root_path if request else "", name)

    app.jinja_env.globals[DRAWN] = drawn

    @lru_cache(maxsize=PARTS_KEPT)
    def part(
        _mounted_at: str, _language: Hashable, name: str, *given: Hashable
    ) -> Markup:
        frame = app.jinja_env.get_template("_frame.html").module
        return Markup(getattr(frame, name)(*given))

    def drawn_part(name: str, *given: Hashable) -> Markup:
        mounted_at = request.root_path if request else ""
        return part(mounted_at, get_locale(), name, *given)

    app.jinja_env.globals["drawn_part"] = drawn_part
