"""The page of the call: seal, call, read the words aloud, type the partner's."""

from flask import flash, make_response, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import message
from tradeboard.trades import queries
from tradeboard.trades.forms import SealForm, WordsForm
from tradeboard.trades.rules import words as spoken
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import contacts, numbers, phone
from tradeboard.trades.services.phone import Tried
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.room import seen
from tradeboard.web import throttling
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.languages import translate
from tradeboard.web.readable import whole

# Enough to mend every slip, too few to guess the partner's sealed number.
SEALS = "10 per day"
WORDS_CHANGED = message(
    "この画面を開いたあとに、2人の合言葉が新しくなりました。"
    "いまの入力は回数に数えていません。新しい合言葉を読み上げ、聞き取ってください。"
)


@bp.get("/trades/<int:trade_id>/call")
def call(trade_id):
    """Show one side what it needs for the call, and nothing before its time."""
    return _page(trade_id)


@bp.post("/trades/<int:trade_id>/call/seal")
def seal(trade_id):
    """One side puts number and address under seal."""
    form = SealForm()
    form.validate_on_submit()
    _find_mistakes(trade_id, form)
    if form.errors:
        return _page(trade_id, seal_form=form, status=422)
    throttling.limit("seal", f"{trade_id}|{current_user.id}", SEALS)

    def verb():
        phone.seal(
            trade_id,
            form.number.data,
            form.region.data,
            form.address.data,
            by=current_user,
            now=clock.now(),
        )
        return url_for(".call", trade_id=trade_id)

    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(trade_id, seal_form=form, status=422)


@bp.post("/trades/<int:trade_id>/call/words")
def words(trade_id):
    """One side types the words that it heard; a wrong try counts."""
    form = WordsForm()
    if not form.validate_on_submit():
        return _page(trade_id, words_form=form, status=422)
    outcome: Tried | None = None

    def verb():
        nonlocal outcome
        outcome = phone.try_words(
            trade_id,
            f"{form.first.data} {form.second.data}",
            called=form.called.data,
            shown_round=whole(form.shown_round.data) or 0,
            by=current_user,
            now=clock.now(),
        )
        return url_for(".call", trade_id=trade_id)

    # A wrong try raises nothing, so it is kept; one that is pressed twice counts once.
    answer = act(form.submit_id.data, verb)
    if outcome is Tried.CONFIRMED:
        flash(_("本人確認ができました。発送の準備へ進めます。"), "ok")
        return redirect(url_for(".show", trade_id=trade_id), 303)
    if outcome is Tried.WRONG:
        # The next try is another one: the form gets an identity of its own.
        typed = {"first": form.first.data, "second": form.second.data}
        again = WordsForm(formdata=None, data=typed | {"called": form.called.data})
        again.first.errors = [_("合言葉が違います。もう一度、聞いて確かめてください。")]
        return _page(trade_id, words_form=again, status=422)
    if outcome is Tried.REPLACED:
        flash(translate(WORDS_CHANGED), "warn")
    if outcome is Tried.NEW_WORDS:
        flash(_("5回違ったので、2人とも新しい合言葉になりました。"), "warn")
    return answer


@bp.post("/trades/<int:trade_id>/call/called")
def called(trade_id):
    """Either side chooses the language of the words, before the first try."""

    def verb():
        language = request.form.get("language", "")
        phone.choose_words(trade_id, language, by=current_user, now=clock.now())
        return url_for(".call", trade_id=trade_id)

    return act(ButtonForm().submit_id.data, verb)


def _page(trade_id, *, seal_form=None, words_form=None, status=200):
    now = clock.now()
    trade = queries.load_room(current_user.id, trade_id)
    if trade.state is not TradeState.AGREED:
        return redirect(url_for(".show", trade_id=trade_id), 303)
    contact = contacts.partner_contact(trade, current_user, now=now)
    partner = trade.partner_of(current_user.id)
    page = render_template(
        "trades/call.html",
        **seen(trade, now),
        own=queries.side_of(trade, current_user.id),
        partner_side=queries.side_of(trade, partner.id),
        contact=contact,
        own_words=_own_words(trade, contact),
        tries_left=spoken.TRIES_PER_ROUND - trade.words_tries,
        may_choose=trade.words_round <= 1 and not _has_tried(trade),
        masked=contacts.masked_number(trade, current_user, now=now),
        seal_form=seal_form or SealForm(formdata=None),
        words_form=_of_this_round(words_form or WordsForm(formdata=None), trade),
        change=bool(request.args.get("change")) or seal_form is not None,
    )
    answer = make_response(page, status)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _find_mistakes(trade_id, form):
    """Show every mistake at once, number and address together."""
    queries.load_room(current_user.id, trade_id)
    number, address = form.number.data or "", form.address.data or ""
    for problem in numbers.problems(number, form.region.data or "", address):
        if not form[problem.field].errors:
            form.refuse(problem)


def _of_this_round(form, trade):
    """Let the form say for which words it was shown."""
    form.shown_round.data = str(trade.words_round)
    return form


def _own_words(trade, contact):
    """Return the words that are read aloud, as long as the number is shown."""
    if contact.number is None:
        return ()
    return phone.words_of(trade, current_user.id)


def _has_tried(trade) -> bool:
    return bool(trade.words_tries or any(s.words_right_at for s in trade.phones))
