"""The one blueprint of trades, and what its pages share."""

from flask import Blueprint

from tradeboard.core.messages import Message
from tradeboard.web.fields import ButtonForm
from tradeboard.web.languages import translate

bp = Blueprint("trades", __name__)


@bp.app_context_processor
def shared():
    """Give templates a fresh form for each button that stands alone."""
    return {"new_button": new_button, "say_kept": say_kept}


def new_button() -> ButtonForm:
    """Return a form that is a button, with an identity of its own."""
    return ButtonForm(formdata=None)


def say_kept(kept: dict) -> str:
    """Say a sentence that was kept in the history."""
    return translate(Message(kept["text"], kept["gaps"]))
