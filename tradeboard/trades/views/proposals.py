"""The page of help: the rule for each parcel, and what both can still do about it."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.trades import queries
from tradeboard.trades.forms import ContestForm, ProposalForm
from tradeboard.trades.rules.states import ProposalKind
from tradeboard.trades.services import proposals
from tradeboard.trades.views import uploads
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.room import seen, sentences
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm


@bp.get("/trades/<int:trade_id>/help")
def help(trade_id):
    """Show what can be done when something goes wrong."""
    return help_page(trade_id)


@bp.post("/trades/<int:trade_id>/proposals")
def propose_change(trade_id):
    """One side proposes to extend, cancel or settle."""
    form = ProposalForm()
    kind = request.form.get("kind", "")
    if not form.validate_on_submit():
        return help_page(trade_id, proposal_form=form, kind=kind), 422

    def verb():
        if kind not in set(ProposalKind):
            raise RuleBroken("提案の種類を選んでください。")
        proposals.propose(
            trade_id,
            ProposalKind(kind),
            form.words.data,
            by=current_user,
            now=clock.now(),
        )
        return url_for(".show", trade_id=trade_id)

    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return help_page(trade_id, proposal_form=form, kind=kind), 422


@bp.post("/trades/proposals/<int:proposal_id>/answer")
def answer(proposal_id):
    """The other side agrees or declines; its author may take it back."""
    pressed = request.form.get("answer")

    def verb():
        if pressed == "take_back":
            proposal = proposals.take_back(
                proposal_id, by=current_user, now=clock.now()
            )
        else:
            proposal = proposals.answer(
                proposal_id,
                agree=pressed == "agree",
                by=current_user,
                now=clock.now(),
            )
        return url_for(".show", trade_id=proposal.trade_id)

    return act(ButtonForm().submit_id.data, verb)


def help_page(
    trade_id, *, contest_form=None, proposal_form=None, kind=None, refused=None
):
    """Render the page of help, with the form that was refused if there is one.

    What the reader asks about stands open, or what was refused.
    """
    now = clock.now()
    trade = queries.load_room(current_user.id, trade_id)
    forms = {one: _proposal_form(one, kind, proposal_form) for one in ProposalKind}
    today = queries.day_in_japan(now)
    about = kind or ("contest" if contest_form else request.args.get("about"))
    if contest_form is None:
        contest_form = ContestForm(formdata=None, data={"delivered_on": today})
    return render_template(
        "trades/help.html",
        **seen(trade, now),
        **sentences(trade, now),
        about=about,
        contest_form=contest_form,
        kept=uploads.kept(contest_form),
        proposal_forms=forms,
        refused=refused or proposal_form,
    )


def _proposal_form(kind, refused_kind, refused_form):
    if refused_form is not None and kind == refused_kind:
        return refused_form
    return ProposalForm(formdata=None)
