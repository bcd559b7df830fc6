"""Help pages: Markdown that came with the board, or that an admin wrote over it.

The parser's HTML is off and links lead to few schemes only, whoever wrote the text.
"""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markupsafe import Markup

from tradeboard.core.errors import NotFound
from tradeboard.core.records import dataclass
from tradeboard.site import queries as site

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

FOLDER = Path(__file__).parent / "texts"
SLUGS = (
    "safe-trading",
    "clock",
    "conditions",
    "rules",
    "list",
    "email-check",
    "faq",
    "privacy",
    "contact",
)
SCHEMES = frozenset({"https", "http", "mailto"})
PICTURES = re.compile(r"/static/help/[a-z0-9-]+\.svg")
WIDTH, HEIGHT = 320, 200
# Stands alone in a line where the worked example of the clock is drawn.
EXAMPLE = "{example}"


@dataclass(frozen=True)
class HelpPage:
    """One page: its first heading, and what follows, parted by worked examples."""

    title: str
    parts: tuple[Markup, ...]


def get_page(slug: str, language: str) -> HelpPage:
    """Return a page in a language, or raise NotFound."""
    if slug not in SLUGS:
        raise NotFound("このページは見つかりません。")
    written = site.newest_help(slug, language)
    if written is not None and written.text:
        return rendered(written.text)
    return _shipped_page(slug, language)


def source(slug: str, language: str) -> str:
    """Return the text of a page as it is now."""
    written = site.newest_help(slug, language)
    return (written.text if written else "") or shipped(slug, language)


@cache
def shipped(slug: str, language: str) -> str:
    """Return the text that came with the board."""
    return (FOLDER / f"{slug}.{language}.md").read_text(encoding="utf-8")


def shipped_title(slug: str, language: str) -> str:
    """Return the first heading of what came with the board."""
    return _title(shipped(slug, language))


def rendered(text: str) -> HelpPage:
    """Return a text as a page."""
    _heading, _, rest = text.partition("\n")
    parts = re.split(rf"^{re.escape(EXAMPLE)}$", rest, flags=re.MULTILINE)
    # Markup: HTML in the text is off, and addresses are checked below.
    return HelpPage(
        _title(text), tuple(Markup(_markdown().render(part)) for part in parts)
    )


@cache
def _shipped_page(slug: str, language: str) -> HelpPage:
    return rendered(shipped(slug, language))


def _title(text: str) -> str:
    return text.partition("\n")[0].lstrip("# ").strip()


def is_safe_link(address: str) -> bool:
    """Tell whether a link may stand in a text: few schemes, or a path of ours."""
    if any(sign in address for sign in "\\\t\r\n"):
        return False
    if address.startswith(("/", "#")):
        return not address.startswith("//")
    try:
        return urlsplit(address).scheme.lower() in SCHEMES
    except ValueError:
        return False


def _image(renderer, tokens, index, options, env):
    """Draw a picture of ours with its size; of any other show the words alone."""
    token = tokens[index]
    words = renderer.renderInlineAsText(token.children or [], options, env)
    if not PICTURES.fullmatch(str(token.attrGet("src"))):
        return Markup.escape(words)
    token.attrs |= {"alt": words, "width": WIDTH, "height": HEIGHT, "class": "figure"}
    return renderer.renderToken(tokens, index, options, env)


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # Much to load, and for few pages.

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    # The parser's documents show how to say it: by replacing its own.
    setattr(markdown, "validateLink", is_safe_link)  # noqa: B010 (typed as a method)
    markdown.add_render_rule("image", _image)
    return markdown
