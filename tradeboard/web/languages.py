"""Say marked messages in the reader's language, or in a given one."""

from flask import Flask
from flask_babel import force_locale, gettext

from tradeboard.core import languages
from tradeboard.core.messages import Message


def translate(text: Message | str) -> str:
    """Say a marked message in the reader's language."""
    if isinstance(text, str):
        return gettext(text)
    gaps = {
        name: translate(gap) if isinstance(gap, Message) else gap
        for name, gap in text.gaps.items()
    }
    return gettext(text.text, **gaps) if gaps else gettext(text.text)


def translate_to(language: str, text: Message | str) -> str:
    """Say a marked message in a given language."""
    with force_locale(language):
        return translate(text)


def init_app(app: Flask) -> None:
    """Take the languages of the configuration, and give them to the templates."""
    languages.use(app.config["LANGUAGES"], app.config["TRANSLATIONS"])
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(app.config["TRANSLATIONS"])
    app.jinja_env.globals["languages"] = languages.names
