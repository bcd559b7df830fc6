"""The own lists: see them, add, change, remove and bring back, send them home."""

from flask import Response, flash, render_template, request, url_for
from flask_babel import get_locale
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.cards import queries, services
from tradeboard.cards.forms import card_form
from tradeboard.cards.rules import drafting, limits, sheet
from tradeboard.cards.rules.sides import CardSide
from tradeboard.cards.services.lists import NUMBERS, TAKEN
from tradeboard.cards.views.blueprint import asked_side, begin_listing, bp
from tradeboard.core import clock, drafts, folding, paging
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm


@bp.get("/me/cards")
def mine():
    """Show one of the own lists, newest first, and a field for the next card."""
    return _page(card_form(asked_side(), formdata=None))


@bp.post("/me/cards")
def add():
    """Put one card on a list; the next one can be typed at once."""
    side = asked_side()
    form = card_form(side)
    if not form.validate_on_submit():
        return _page(form), 422

    def put() -> str:
        services.add(side, form.line(), by=current_user, now=clock.now())
        flash(_("「%(name)s」を足しました。", name=form.line().name), "ok")
        return url_for(".mine", side=side.value, _anchor="add")

    try:
        return act(form.submit_id.data, put)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form), 422


@bp.route("/me/cards/<int:card_id>", methods=["GET", "POST"])
def edit(card_id: int):
    """Change one card of a list."""
    card = queries.get_own(current_user.id, card_id)
    if request.method == "GET":
        form = card_form(card.side, obj=card)
        form.quantity.data = str(card.quantity)
        return _edit_page(form, card)
    form = card_form(card.side)
    if not form.validate_on_submit():
        return _edit_page(form, card), 422

    def change() -> str:
        row = services.change(card_id, form.line(), by=current_user, now=clock.now())
        flash(_("「%(name)s」を変更しました。", name=row.name), "ok")
        return url_for(".mine", side=row.side.value)

    try:
        return act(form.submit_id.data, change)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _edit_page(form, queries.get_own(current_user.id, card_id)), 422


@bp.post("/me/cards/<int:card_id>/remove")
def remove(card_id: int):
    """Take a card off its list; the page says how to bring it back."""
    form = ButtonForm()

    def take_off() -> str:
        card = services.remove(card_id, by=current_user, now=clock.now())
        return url_for(".mine", side=card.side.value, taken="card")

    return act(form.submit_id.data, take_off)


@bp.post("/me/cards/undo")
def undo():
    """Bring back what the last change of a list took away."""
    side, form = asked_side(), ButtonForm()

    def bring_back() -> str:
        services.undo(side, by=current_user, now=clock.now())
        flash(_("元に戻しました。"), "ok")
        return url_for(".mine", side=side.value)

    return act(form.submit_id.data, bring_back)


@bp.post("/me/cards/shown")
def show_to_others():
    """Let other members see the lists and be matched with them, or not."""
    form, shown = ButtonForm(), request.form.get("shown") == "yes"

    def choose() -> str:
        services.show_cards(shown, by=current_user, now=clock.now())
        text = (
            _("カードの一覧を、ほかの会員に公開しました。")
            if shown
            else _("カードの一覧を、自分だけに見えるようにしました。")
        )
        flash(text, "ok")
        return url_for(".mine", side=asked_side().value)

    return act(form.submit_id.data, choose)


@bp.get("/me/cards.csv")
def export():
    """Send a whole list as CSV, to be read by a spreadsheet or put back here."""
    side = asked_side()
    cards = map(queries.line_of, queries.whole_list(current_user.id, side))
    language = "ja" if str(get_locale()).startswith("ja") else "en"
    answer = Response(sheet.write(cards, language), mimetype="text/csv")
    name = f'attachment; filename="cards-{side.value}.csv"'
    answer.headers["Content-Disposition"] = name
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


@bp.post("/me/cards/draft")
def draft():
    """Begin a listing with the newest cards of both lists."""
    form = ButtonForm()

    def begin() -> str:
        cards = {side: list(map(queries.line_of, _newest(side))) for side in CardSide}
        if not any(cards.values()):
            raise NotFound("一覧にまだカードがありません。")
        return begin_listing(cards[CardSide.HAVE], cards[CardSide.WANT])

    return act(form.submit_id.data, begin)


def _newest(side: CardSide):
    page = queries.cards_page(current_user.id, side, size=drafting.MOST_LINES)
    return page.rows


def _page(form):
    side, asked = asked_side(), (request.args.get("q") or "").strip()
    terms = folding.terms(asked)
    page = queries.cards_page(
        current_user.id, side, terms, paging.decode(request.args.get("after"))
    )
    lines, copies = queries.counts(current_user.id, side, terms)
    more = (
        url_for(".mine", side=side.value, q=asked or None, after=page.after)
        if page.after
        else None
    )
    return render_template(
        "cards/mine.html",
        side=side.value,
        form=form,
        cards=page.rows,
        more=more,
        asked=asked,
        found=lines,
        copies=copies,
        counted=queries.lines_of_both(current_user.id),
        most=limits.MOST_LINES,
        taken=_taken(side) if request.args.get("taken") else None,
        button=lambda: ButtonForm(formdata=None),
    )


def _taken(side: CardSide):
    """Return what was taken away last: the first name, and how many cards."""
    kept = drafts.find(current_user.id, TAKEN, NUMBERS[side])
    if kept is None or not kept["cards"]:
        return None
    return kept["cards"][0]["name"], len(kept["cards"]), kept["mode"]


def _edit_page(form, card) -> str:
    return render_template(
        "cards/edit.html", form=form, card=card, side=card.side.value
    )
