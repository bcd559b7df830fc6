"""What `_()` says in templates: each text is looked up once a language, then kept."""

from functools import lru_cache

from flask import Flask
from flask_babel import get_locale, get_translations
from jinja2 import pass_context
from markupsafe import Markup

KEPT = 8192


def init_app(app: Flask) -> None:
    """Give `_` to the templates; after Babel, whose own asks anew each time."""

    @lru_cache(maxsize=KEPT)
    def find(_locale, text, escapes, has_gaps):
        said = get_translations().ugettext(text)
        said = Markup(said) if escapes else said
        return said if has_gaps else said % {}

    @pass_context
    def say(context, text, /, **gaps):
        said = find(get_locale(), text, context.eval_ctx.autoescape, bool(gaps))
        return said % gaps if gaps else said

    app.jinja_env.globals.update(_=say, gettext=say)
