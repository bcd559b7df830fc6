"""The terms as a reader sees them: own language, Markdown without HTML of its own."""

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from flask_login import current_user
from markupsafe import Markup

from tradeboard.core.languages import of_two
from tradeboard.core.records import dataclass
from tradeboard.terms import queries, rules
from tradeboard.terms.models import TermsVersion
from tradeboard.web.extensions import locale

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # Much to load, and for few pages.

    return MarkdownIt("commonmark", {"html": False})


@dataclass(frozen=True)
class Shown:
    """One version, ready to be shown."""

    number: int
    published_at: datetime
    points: list[Markup]
    body: Markup


def shown(version: TermsVersion) -> Shown:
    """Return a version in the reader's language."""
    text = text_of(version)
    return Shown(
        version.number,
        version.published_at,
        [in_line(point) for point in rules.points(text)],
        _rendered(rules.after_points(text)),
    )


def preview(text: str) -> Markup:
    """Render a whole text as it would be read, points and all."""
    return _rendered(text)


def text_of(version: TermsVersion) -> str:
    """Return the text in the reader's language."""
    return version.text_ja if of_two(locale()) == "ja" else version.text_en


def changes_since_agreed(version: TermsVersion) -> list[rules.Change]:
    """Return what differs from the version that the reader agreed to last."""
    if not current_user.is_authenticated:
        return []
    agreed = queries.agreed_number(current_user.id)
    if agreed is None or agreed == version.number:
        return []
    return rules.changes(text_of(queries.get_version(agreed)), text_of(version))


def in_line(text: str) -> Markup:
    """Render one paragraph of the terms, to stand in a line of another page."""
    return Markup(_markdown().renderInline(text))


def _rendered(text: str) -> Markup:
    # The parser escapes every tag, since its own HTML is switched off.
    return Markup(_markdown().render(text))
