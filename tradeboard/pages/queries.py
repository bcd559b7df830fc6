"""Read a help page: Markdown beside this file, in the reader's language."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup

from tradeboard.core.errors import NotFound

FOLDER = Path(__file__).parent / "texts"
SLUG = re.compile(r"[a-z][a-z-]{0,40}")


@dataclass(frozen=True)
class HelpPage:
    """One page: its first heading, and what follows."""

    title: str
    body: Markup


@cache
def get_page(slug: str, language: str) -> HelpPage:
    """Return a page, or raise NotFound."""
    file = FOLDER / f"{slug}.{language}.md"
    if not SLUG.fullmatch(slug) or not file.is_file():
        raise NotFound("このページは見つかりません。")
    title, _, rest = file.read_text(encoding="utf-8").partition("\n")
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    # The text is ours, and HTML in it is off.
    return HelpPage(title.lstrip("# ").strip(), Markup(markdown.render(rest)))
