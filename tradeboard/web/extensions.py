"""The extensions that every page needs: languages and form tokens."""

from flask import Flask, g, has_request_context, request
from flask_babel import Babel
from flask_wtf import CSRFProtect

from tradeboard.web import access, languages

babel = Babel()
csrf = CSRFProtect()


def locale() -> str:
    """Return the reader's language: own choice, account, browser, Japanese."""
    if not has_request_context():
        return g.get("language", languages.DEFAULT)
    if "language" not in g:
        cookie = request.cookies.get("language")
        g.language = languages.choose(
            None if access.is_for_programs() else cookie,
            g.get("account_language"),
            request.accept_languages.best_match(languages.CODES),
        )
    return g.language


def init_app(app: Flask) -> None:
    """Hang them on the app."""
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = languages.folder()
    babel.init_app(app, locale_selector=locale)
    csrf.init_app(app)
