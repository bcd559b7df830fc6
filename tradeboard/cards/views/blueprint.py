"""The blueprint, what its templates use, and what the board lends to its pages."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from flask import Blueprint, Flask, current_app, flash, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.cards.rules import drafting, words
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core import clock
from tradeboard.core.messages import Message
from tradeboard.core.records import dataclass

bp = Blueprint("cards", __name__)

OfferedBy = Callable[[Collection[int]], Mapping[int, Sequence[Any]]]
StartDraft = Callable[..., Any]


@dataclass(frozen=True)
class Board:
    """What the board lends: who offers which listings, and how a draft begins."""

    offered_by: OfferedBy
    start_draft: StartDraft


def init_app(app: Flask, offered_by: OfferedBy, start_draft: StartDraft) -> None:
    """Connect the lists with the board, which lies above them."""
    app.extensions["cards_board"] = Board(offered_by, start_draft)


def offered_by(owner_ids: Collection[int]) -> Mapping[int, Sequence[Any]]:
    """Return the open listings of some members."""
    return current_app.extensions["cards_board"].offered_by(owner_ids)


def begin_listing(have: Sequence[CardLine], want: Sequence[CardLine]) -> str:
    """Begin the reader's listing of some cards for others; return where it is."""
    filled = drafting.draft_of(have, want, current_user.prefecture)
    start = current_app.extensions["cards_board"].start_draft
    draft = start(filled, by=current_user, now=clock.now())
    flash(_("募集の下書きを作りました。足りないところを書いてください。"), "ok")
    return url_for("listings.draft", listing_id=draft.id)


def asked_side() -> CardSide:
    """Return which list the address asks for; the have list unless it says else."""
    return CardSide.WANT if request.args.get("side") == "want" else CardSide.HAVE


@bp.app_template_filter("card_condition")
def card_condition(code: str, side: str) -> Message:
    """Say how a card has kept, or has to have kept at least."""
    return words.conditions(CardSide(side))[code]


@bp.app_template_filter("card_in_language")
def card_in_language(code: str) -> Message:
    """Say in which language a card is."""
    return words.LANGUAGES[code]
