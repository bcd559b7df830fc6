"""The extensions that every page needs: languages and form tokens."""

from flask import Flask, current_app, g, has_request_context, request
from flask_babel import Babel
from flask_wtf import CSRFProtect

from tradeboard.core import languages
from tradeboard.web import access, cookies, saying

babel = Babel()
csrf = CSRFProtect()


def locale() -> str:
    """Return the reader's language: own choice, account, browser, Japanese."""
    if not has_request_context():
        return g.get("language", languages.SOURCE)
    if "language" not in g:
        cookie = request.cookies.get(cookies.name_of("language"))
        g.language = languages.choose(
            None if access.is_for_programs() else cookie,
            g.get("account_language"),
            request.accept_languages.best_match(languages.codes()),
            _of_the_site(),
        )
    return g.language


def _of_the_site() -> str:
    """Return the language for who has wished for none, as an admin chose it."""
    return current_app.extensions.get("tradeboard-site-language", str)()


def init_app(app: Flask) -> None:
    """Hang them on the app."""
    babel.init_app(app, locale_selector=locale)
    saying.init_app(app)
    csrf.init_app(app)
