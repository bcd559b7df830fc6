"""The one blueprint of trades, and what its pages share."""

from flask import Blueprint, current_app, url_for

from tradeboard.core.messages import Message
from tradeboard.trades.rules import first_sender, records
from tradeboard.web.fields import ButtonForm
from tradeboard.web.languages import translate

bp = Blueprint("trades", __name__)


@bp.app_context_processor
def shared():
    """Give templates a fresh form for each button, and who had better send first."""
    return {
        "new_button": new_button,
        "say_kept": say_kept,
        "first_sender": first_sender.suggest,
        "way_to": way_to,
    }


@bp.record_once
def share(state):
    """Let macros, too, say a share in percent where there is enough to tell."""
    state.app.jinja_env.globals["record_share"] = records.share


def new_button() -> ButtonForm:
    """Return a form that is a button, with an identity of its own."""
    return ButtonForm(formdata=None)


def way_to(endpoint: str, **gaps) -> str | None:
    """Return the address of a page of another feature, where the board has it."""
    if endpoint not in current_app.view_functions:
        return None
    return url_for(endpoint, **gaps)


def say_kept(kept: dict) -> str:
    """Say a sentence that was kept in the history."""
    return translate(Message(kept["text"], kept["gaps"]))
